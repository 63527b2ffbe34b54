import { arrayLiteral, inTransaction } from '@truetally/persistence';
import type { Queryable } from '@truetally/resource';
import type { Pool, QueryResultRow } from 'pg';
import { insertDeliveries, type NewDelivery } from './delivery-log.store.js';
import { addQueues, type QueuedWorkflow } from './queue.store.js';

const COST_PER_PIECE = 1_000;
const FIRST_OF_ALL = '00000000-0000-0000-0000-000000000000';

/** A fact as it was told, and the workflows that it may trigger. */
export interface ParkedFact {
  readonly topic: string;
  readonly value: string;
  readonly workflowIds: readonly string[];
  /** Of the workflows, in which the process knew them that put it in line. */
  readonly versions: readonly number[];
  /** Those of them that are not deleted. None any more after ten minutes: what is not known by then will not be. */
  readonly living: readonly string[];
}

/** One on its way into line. */
export interface FactToPark extends Pick<ParkedFact, 'topic' | 'value'> {
  readonly subject: string;
  readonly workflows: readonly [QueuedWorkflow, ...QueuedWorkflow[]];
  readonly cost: number;
}

const PARK = `
  insert into parked_facts (workspace_id, site_id, subject, topic, value, workflow_ids, versions, cost)
  select workspace_id, site_id, subject, topic, value, workflow_ids::uuid[], versions::integer[], cost
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::integer[])
    with ordinality as given (workspace_id, site_id, subject, topic, value, workflow_ids, versions, cost, place)
  order by place`;

/** The next workspace in turn. */
const NEXT = `
  (select workspace_id from parked_facts where workspace_id > $1 order by workspace_id limit 1)
  union all (select workspace_id from parked_facts order by workspace_id limit 1) limit 1`;

/**
 * Its oldest facts, each by itself: for a range of them the whole table would be read where one workspace has most of it. What
 * another process takes at the same time is gone once that has stored it.
 */
const TAKE = `
  with taken as (
    delete from parked_facts where workspace_id = $1 and sequence = any(array(
      select sequence from (
        select sequence, sum(cost) over (order by sequence) - cost as before from (
          select sequence, cost from parked_facts where workspace_id = $1 order by sequence limit $2) oldest) costs
      where before < $2))
    returning *)
  select topic, value, workflow_ids::text[] as "workflowIds", versions, case
      when parked_at < now() - interval '10 minutes' then '{}'
      else array(select workflow_id::text from queues where workflow_id = any(workflow_ids) and not is_deleted)
    end as living
  from taken order by sequence`;

/** Puts facts in line, in their order. @throws Postgres' error */
export function parkFacts(pool: Pool, facts: readonly FactToPark[]): Promise<void> {
  const workflows = facts.flatMap((fact) => fact.workflows);
  const firsts = facts.map((fact) => fact.workflows[0]);
  return inTransaction(pool, async (client) => {
    await addQueues(client, [...new Map(workflows.map((one) => [one.workflow_id, one])).values()]);
    await client.query(PARK, [
      arrayLiteral(firsts.map((workflow) => workflow.workspace_id)),
      arrayLiteral(firsts.map((workflow) => workflow.site_id)),
      arrayLiteral(facts.map(({ subject }) => subject)),
      arrayLiteral(facts.map(({ topic }) => topic)),
      arrayLiteral(facts.map(({ value }) => value)),
      arrayLiteral(facts.map((fact) => arrayLiteral(fact.workflows.map((one) => one.workflow_id)))),
      arrayLiteral(facts.map((fact) => arrayLiteral(fact.workflows.map(({ version }) => version)))),
      arrayLiteral(facts.map(({ cost }) => cost)),
    ]);
  });
}

/** Which of these workspaces have facts in line. */
export async function workspacesInLine(
  pool: Pool,
  workspaceIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from unnest($1::uuid[]) as id
     where exists (select from parked_facts where workspace_id = id)`,
    [arrayLiteral(workspaceIds)],
  );
  return new Set(rows.map(({ id }) => id));
}

/** @param after the workspace that had the turn before @returns undefined when nobody waits @throws Postgres' error */
export async function nextInLine(pool: Pool, after = FIRST_OF_ALL): Promise<string | undefined> {
  const { rows } = await pool.query<{ workspace_id: string }>(NEXT, [after]);
  return rows[0]?.workspace_id;
}

/** How long the oldest fact has waited, in seconds. @throws Postgres' error */
export async function waitingInLine(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ seconds: number | null }>(
    'select extract(epoch from now() - min(parked_at))::float8 as seconds from parked_facts',
  );
  return rows[0]?.seconds ?? 0;
}

/**
 * Stores the deliveries of the oldest facts of a workspace.
 * @param match finds what a fact is delivered to
 * @throws its error, or Postgres' one: the facts wait as before
 */
export function storeParked(
  pool: Pool,
  workspaceId: string,
  match: (fact: ParkedFact) => Promise<readonly NewDelivery[]>,
): Promise<void> {
  return inTransaction(pool, async (client) => {
    const deliveries: NewDelivery[] = [];
    for (const fact of await takeOldest(client, workspaceId)) deliveries.push(...(await match(fact)));
    await insertDeliveries(client, deliveries);
  });
}

/** Takes a piece of a workspace's oldest facts out of line. */
export async function takeOldest(client: Queryable, workspaceId: string): Promise<readonly ParkedFact[]> {
  const { rows } = await client.query<ParkedFact & QueryResultRow>(TAKE, [workspaceId, COST_PER_PIECE]);
  return rows;
}
