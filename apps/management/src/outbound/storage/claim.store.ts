import { randomUUID } from 'node:crypto';
import { arrayLiteral, inTransaction } from '@truetally/persistence';
import type { Pool } from 'pg';
import { refreshQueues, SOON_DURABLE } from './queue.store.js';

/** A delivery that this process may send until its lease ends. */
export interface ClaimedDelivery {
  readonly deliveryId: string;
  readonly workflowId: string;
  readonly workspaceId: string;
  readonly claim: string;
  readonly body: string;
  /** Attempts since it was queued. */
  readonly tries: number;
  readonly isReplay: boolean;
  readonly isFirst: boolean;
  readonly createdAtMs: number;
}

/** Claimed deliveries, and the time of the database, by which everything is decided. */
export interface Claimed {
  readonly deliveries: readonly ClaimedDelivery[];
  readonly nowMs: number;
}

export interface ClaimRequest {
  /** Workflows of which no more may be sent at the moment. */
  readonly saturated: readonly string[];
  /** How many more of a workflow may be sent, where it is not `freeByDefault`. */
  readonly free: ReadonlyMap<string, number>;
  readonly freeByDefault: number;
  /** How many in all. */
  readonly limit: number;
  /** Workspaces of which no more may be sent, and whether one more of another may, asked for each that is found. Default: any. */
  readonly shares?: { readonly full: readonly string[]; readonly admits: (workspaceId: string) => boolean };
}

const QUEUES_PER_CLAIM = 100;
/** An attempt takes at most 10 s, and its outcome is stored at once: a process that is killed loses this time. */
const LEASE_SECONDS = 25;

const COLUMNS = 'delivery_id, workflow_id, lane, next_attempt_at, sequence';

function lane(number: number, condition = 'true'): string {
  return `(select ${COLUMNS} from deliveries
    where workflow_id = due.workflow_id and lane = ${number} and next_attempt_at <= now() and ${condition}
    order by next_attempt_at, sequence limit coalesce(known.free, $5))`;
}

/**
 * Of each due queue the first few: tests, then new facts, then replays. Workspaces take turns with their queues: one with hundreds that
 * are overdue keeps no other one waiting. A queue that is busy elsewhere is left for later.
 */
const FIND = `
  with turns as (
    select workflow_id, next_due_at, row_number() over (partition by workspace_id order by next_due_at) as turn from queues
    where next_due_at <= now() and not (workflow_id = any($1::uuid[])) and not (workspace_id = any($7::uuid[]))
    order by turn, next_due_at limit $2
  ), due as (
    select workflow_id, workspace_id, is_enabled from queues
    where workflow_id in (select workflow_id from turns) and next_due_at <= now() for update skip locked)
  select due.workflow_id as queue, due.workspace_id as workspace, found.delivery_id
  from due join turns using (workflow_id)
  left join unnest($3::uuid[], $4::integer[]) as known (workflow_id, free) using (workflow_id)
  left join lateral (
    select * from (${lane(0)} union all ${lane(1, 'due.is_enabled')} union all ${lane(2, 'due.is_enabled')}) lanes
    order by lane, next_attempt_at, sequence limit coalesce(known.free, $5)) found on true
  order by turn, turns.next_due_at, found.lane, found.next_attempt_at, found.sequence
  limit $6`;

/**
 * Those that are due still: whoever had their queue until a moment ago may have taken them since they were found. A body is in the first
 * of its fact's rows: 200 workflows may want one event of 64 KiB.
 */
const TAKE = `
  with taken as (
    update deliveries set claim = $2, claimed_until = now() + interval '${LEASE_SECONDS} seconds',
      next_attempt_at = now() + interval '${LEASE_SECONDS} seconds'
    from facts
    where facts.site_id = deliveries.site_id and facts.fact_key = deliveries.fact_key and delivery_id = any($1::uuid[])
      and next_attempt_at <= now()
    returning delivery_id, workflow_id, facts.site_id, facts.fact_key, body, tries, is_replay, attempt_count, created_at,
      sequence)
  select delivery_id, workflow_id, site_id || ' ' || fact_key as fact, tries, is_replay, attempt_count = 0 as is_first,
    case when row_number() over (partition by site_id, fact_key order by sequence) = 1 then body end as body,
    extract(epoch from created_at)::float8 * 1000 as created_ms, extract(epoch from now())::float8 * 1000 as now_ms
  from taken order by sequence`;

interface FoundRow {
  readonly queue: string;
  readonly workspace: string;
  /** Null for a queue that was due, and has nothing to send. */
  readonly delivery_id: string | null;
}

interface TakenRow {
  readonly delivery_id: string;
  readonly workflow_id: string;
  readonly fact: string;
  /** Of the first row of its fact. */
  readonly body: string | null;
  readonly tries: number;
  readonly is_replay: boolean;
  readonly is_first: boolean;
  readonly created_ms: number;
  readonly now_ms: number;
}

/** Whether anything may be due: that costs less than a transaction that takes nothing. @throws Postgres' error */
export async function isAnyDue(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>(
    'select exists (select from queues where next_due_at <= now()) as found',
  );
  return rows[0]?.found === true;
}

/** Takes due deliveries. What another process takes at the same time is left to it. @throws Postgres' error */
export function claimDue(pool: Pool, request: ClaimRequest): Promise<Claimed> {
  const { saturated, free, freeByDefault, limit, shares } = request;
  return inTransaction(pool, async (client) => {
    await client.query(SOON_DURABLE);
    const found = await client.query<FoundRow>(FIND, [
      arrayLiteral(saturated),
      QUEUES_PER_CLAIM,
      arrayLiteral([...free.keys()]),
      arrayLiteral([...free.values()]),
      freeByDefault,
      limit,
      arrayLiteral(shares?.full ?? []),
    ]);
    const taken = found.rows.filter(
      ({ workspace, delivery_id }) => delivery_id === null || shares?.admits(workspace) !== false,
    );
    if (taken.length === 0) return { deliveries: [], nowMs: 0 };
    const claim = randomUUID();
    const ids = taken.flatMap(({ delivery_id }) => (delivery_id === null ? [] : [delivery_id]));
    const { rows } = await client.query<TakenRow>(TAKE, [arrayLiteral(ids), claim]);
    await refreshQueues(client, [...new Set(taken.map(({ queue }) => queue))]);
    const workspaces = new Map(taken.map(({ queue, workspace }) => [queue, workspace]));
    const bodies = new Map(rows.flatMap(({ fact, body }) => (body === null ? [] : [[fact, body]])));
    return {
      nowMs: rows[0]?.now_ms ?? 0,
      deliveries: rows.map((row) => ({
        deliveryId: row.delivery_id,
        workflowId: row.workflow_id,
        workspaceId: workspaces.get(row.workflow_id) ?? row.workflow_id,
        claim,
        body: bodies.get(row.fact) ?? '',
        tries: row.tries,
        isReplay: row.is_replay,
        isFirst: row.is_first,
        createdAtMs: row.created_ms,
      })),
    };
  });
}
