import { arrayLiteral, inTransaction } from '@truetally/persistence';
import type { Pool, QueryResultRow } from 'pg';
import { insertDeliveries, type NewDelivery } from './delivery-log.store.js';
import { addQueues, type QueuedWorkflow } from './queue.store.js';

const COST_PER_PIECE = 1_000;
const FIRST_OF_ALL = '00000000-0000-0000-0000-000000000000';

/** A fact as it was told, and the workflows that it may trigger. */
export interface ParkedFact {
  readonly topic: string;
  readonly value: string;
  readonly subject: string;
  readonly workflowIds: readonly string[];
}

/** One on its way into line. */
export interface FactToPark extends Omit<ParkedFact, 'workflowIds'> {
  readonly workflows: readonly [QueuedWorkflow, ...QueuedWorkflow[]];
  readonly cost: number;
}

const PARK = `
  insert into parked_facts (workspace_id, site_id, subject, topic, value, workflow_ids, cost)
  select workspace_id, site_id, subject, topic, value, workflow_ids::uuid[], cost
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::integer[])
    with ordinality as given (workspace_id, site_id, subject, topic, value, workflow_ids, cost, place)
  order by place`;

/** The next workspace in turn. */
const NEXT = `
  (select workspace_id from parked_facts where workspace_id > $1 order by workspace_id limit 1)
  union all (select workspace_id from parked_facts order by workspace_id limit 1) limit 1`;

/** Its oldest facts. What another process takes at the same time is gone once that has stored it. */
const TAKE = `
  with taken as (
    delete from parked_facts where workspace_id = $1 and sequence <= (
      select max(sequence) from (
        select sequence, sum(cost) over (order by sequence) - cost as before from (
          select sequence, cost from parked_facts where workspace_id = $1 order by sequence limit $2) oldest) costs
      where before < $2)
    returning *)
  select topic, value, subject, workflow_ids::text[] as "workflowIds" from taken order by sequence`;

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

/**
 * Stores the deliveries of the oldest facts of one workspace.
 * @param match finds what a fact is delivered to
 * @param after the workspace that had the turn before
 * @returns the workspace, or undefined when nobody waits @throws Postgres' error
 */
export function storeParked(
  pool: Pool,
  match: (fact: ParkedFact) => Promise<readonly NewDelivery[]>,
  after = FIRST_OF_ALL,
): Promise<string | undefined> {
  return inTransaction(pool, async (client) => {
    const next = await client.query<{ workspace_id: string }>(NEXT, [after]);
    const workspaceId = next.rows[0]?.workspace_id;
    if (workspaceId === undefined) return undefined;
    const { rows } = await client.query<ParkedFact & QueryResultRow>(TAKE, [workspaceId, COST_PER_PIECE]);
    const deliveries: NewDelivery[] = [];
    for (const fact of rows) deliveries.push(...(await match(fact)));
    await insertDeliveries(client, deliveries);
    return workspaceId;
  });
}
