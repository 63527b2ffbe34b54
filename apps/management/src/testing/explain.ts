import type { Queryable } from '@truetally/resource';
import type { QueryConfig } from 'pg';
import { escapeLiteral } from 'pg';
import type { ManagementReplicas } from './management-replicas.js';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

export interface Explained {
  readonly nodes: readonly string[];
  readonly indexes: readonly string[];
  /** The highest number of rows that any node returned or discarded. */
  readonly mostRows: number;
  readonly buffers: number;
}

type Planned = readonly [{ readonly Plan: Plan }];
type Replicas = Pick<ManagementReplicas, 'pool' | 'reader'>;
interface Statement extends QueryConfig {
  readonly values?: unknown[];
}

const EXPLAIN = 'explain (analyze, buffers, format json)';

/**
 * Runs the work, and then explains its last statement as it was executed: a prepared one with the reader's
 * generic plan.
 */
export async function explain(
  replicas: Replicas,
  work: (client: Queryable) => Promise<unknown>,
): Promise<Explained> {
  let last: (() => Promise<Planned | undefined>) | undefined;
  const client = {
    query: (statement: Statement | string, values?: unknown[]) => {
      if (typeof statement === 'string') {
        last = () => explainOnce(replicas, statement, values);
        return replicas.pool.query(statement, values);
      }
      last = () => explainPrepared(replicas, statement);
      return replicas.reader.query(statement);
    },
  };
  await work(client as Queryable);
  if (last === undefined) throw new Error('Nothing was asked.');
  return describePlan((await last())?.[0].Plan);
}

async function explainOnce(
  { pool }: Replicas,
  sql: string,
  values?: unknown[],
): Promise<Planned | undefined> {
  const { rows } = await pool.query<{ 'QUERY PLAN': Planned }>(`${EXPLAIN} ${sql}`, values);
  return rows[0]?.['QUERY PLAN'];
}

async function explainPrepared(
  { reader }: Replicas,
  { text, values = [] }: Statement,
): Promise<Planned | undefined> {
  const given = values.map((value) => literal(value)).join(', ');
  await reader.query(`prepare explained as ${text}`);
  const { rows } = await reader.query<{ 'QUERY PLAN': Planned }>(`${EXPLAIN} execute explained (${given})`);
  await reader.query('deallocate explained');
  return rows[0]?.['QUERY PLAN'];
}

function literal(value: unknown): string {
  return Array.isArray(value)
    ? `array[${value.map((item) => literal(item)).join(', ')}]::uuid[]`
    : escapeLiteral(String(value));
}

function describePlan(
  root:
    (Plan & { readonly 'Shared Hit Blocks'?: number; readonly 'Shared Read Blocks'?: number }) | undefined,
): Explained {
  const all = nodesOf(root);
  return {
    nodes: all.map((node) => node['Node Type']),
    indexes: all.flatMap((node) => node['Index Name'] ?? []),
    mostRows: Math.max(
      ...all.map(
        (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      ),
    ),
    buffers: (root?.['Shared Hit Blocks'] ?? 0) + (root?.['Shared Read Blocks'] ?? 0),
  };
}

function nodesOf(plan: Plan | undefined): readonly Plan[] {
  return plan === undefined ? [] : [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}
