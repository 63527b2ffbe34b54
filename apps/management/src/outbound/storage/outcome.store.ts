import { arrayLiteral, inTransaction } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import {
  FAILING_TIME,
  IS_FAILING,
  lockQueues,
  promoteSubjects,
  refreshQueues,
  SOON_DURABLE,
} from './queue.store.js';

/** What became of one attempt. */
export interface AttemptOutcome {
  readonly deliveryId: string;
  readonly workflowId: string;
  readonly claim: string;
  readonly isDelivered: boolean;
  /** Until the next attempt, if it failed; null when none is to come. */
  readonly retryMs: number | null;
  /** When it began, in milliseconds since 1970 of the database's clock. */
  readonly atMs: number;
  readonly status: number | null;
  readonly latencyMs: number;
  readonly error: string | null;
  readonly response: string | null;
  readonly isReplay: boolean;
}

/** A delivery is dead when no attempt is to come, or the next would come after its time. The claim fences a process that was too slow. */
const SETTLE = `
  update deliveries set
    status = given.status, claim = null, claimed_until = null, is_replay = false,
    tries = tries + 1, attempt_count = attempt_count + 1,
    next_attempt_at = case when given.status = 'pending' then now() + make_interval(secs => given.retry_ms / 1000.0) end
  from (
    select o.delivery_id, o.retry_ms, case
      when o.is_delivered then 'delivered'
      when o.retry_ms is null or now() + make_interval(secs => o.retry_ms / 1000.0) > d.deadline_at then 'dead'
      else 'pending' end as status
    from unnest($1::uuid[], $2::uuid[], $3::boolean[], $4::integer[]) as o (delivery_id, claim, is_delivered, retry_ms)
    join deliveries d on d.delivery_id = o.delivery_id and d.claim = o.claim) given
  where deliveries.delivery_id = given.delivery_id
  returning deliveries.delivery_id, workflow_id, site_id, subject, lane, is_test, attempt_count, deliveries.status`;

interface SettledRow {
  readonly delivery_id: string;
  readonly workflow_id: string;
  readonly site_id: string;
  readonly subject: string;
  readonly lane: number;
  readonly is_test: boolean;
  readonly attempt_count: number;
  readonly status: string;
}

/**
 * Stores the outcomes of attempts in one transaction: their deliveries, what is next in their subjects, and how their workflows
 * fare. An outcome whose lease has ended, so that another process has the delivery, changes nothing.
 * @throws Postgres' error; the same may be stored again
 */
export function storeOutcomes(pool: Pool, outcomes: readonly AttemptOutcome[]): Promise<void> {
  const byId = new Map(outcomes.map((outcome) => [outcome.deliveryId, outcome]));
  const workflowIds = [...new Set(outcomes.map(({ workflowId }) => workflowId))];
  return inTransaction(pool, async (client) => {
    await client.query(SOON_DURABLE);
    await lockQueues(client, workflowIds);
    const { rows } = await client.query<SettledRow>(SETTLE, [
      arrayLiteral(outcomes.map(({ deliveryId }) => deliveryId)),
      arrayLiteral(outcomes.map(({ claim }) => claim)),
      arrayLiteral(outcomes.map(({ isDelivered }) => isDelivered)),
      arrayLiteral(outcomes.map(({ retryMs }) => retryMs)),
    ]);
    const settled = rows.flatMap((row) => {
      const outcome = byId.get(row.delivery_id);
      return outcome === undefined ? [] : [{ row, outcome }];
    });
    await insertAttempts(client, settled);
    await forgetAttempts(client, rows);
    await promoteSubjects(
      client,
      rows.filter(({ status, is_test }) => status !== 'pending' && !is_test),
    );
    await noteHealth(client, settled);
    await refreshQueues(client, workflowIds);
  });
}

interface Settled {
  readonly row: SettledRow;
  readonly outcome: AttemptOutcome;
}

async function insertAttempts(client: ClientBase, settled: readonly Settled[]): Promise<void> {
  await client.query(
    `insert into attempts (delivery_id, number, site_id, at, status, latency_ms, error, response, is_replay)
     select delivery_id, number, site_id, to_timestamp(at_ms / 1000.0), status, latency_ms, error, response, is_replay
     from unnest($1::uuid[], $2::integer[], $3::uuid[], $4::float8[], $5::integer[], $6::integer[], $7::text[],
       $8::text[], $9::boolean[])
       as given (delivery_id, number, site_id, at_ms, status, latency_ms, error, response, is_replay)
     on conflict do nothing`,
    [
      arrayLiteral(settled.map(({ row }) => row.delivery_id)),
      arrayLiteral(settled.map(({ row }) => row.attempt_count)),
      arrayLiteral(settled.map(({ row }) => row.site_id)),
      arrayLiteral(settled.map(({ outcome }) => outcome.atMs)),
      arrayLiteral(settled.map(({ outcome }) => outcome.status)),
      arrayLiteral(settled.map(({ outcome }) => outcome.latencyMs)),
      arrayLiteral(settled.map(({ outcome }) => outcome.error)),
      arrayLiteral(settled.map(({ outcome }) => outcome.response)),
      arrayLiteral(settled.map(({ outcome }) => outcome.isReplay)),
    ],
  );
}

/** Of a delivery, the newest: more than its 24 hours bring without replays, which have no bound. */
export const KEPT_ATTEMPTS = 100;

async function forgetAttempts(client: ClientBase, settled: readonly SettledRow[]): Promise<void> {
  const many = settled.filter(({ attempt_count }) => attempt_count > KEPT_ATTEMPTS);
  if (many.length === 0) return;
  await client.query(
    `delete from attempts using unnest($1::uuid[], $2::integer[]) as given (id, newest)
     where delivery_id = id and number <= newest - ${KEPT_ATTEMPTS}`,
    [
      arrayLiteral(many.map(({ delivery_id }) => delivery_id)),
      arrayLiteral(many.map(({ attempt_count }) => attempt_count)),
    ],
  );
}

/**
 * A success ends a time of failures, also one of a test; a failed test begins none. So does a pause as long as such a time: what failed
 * before it says nothing of the days in which nothing was tried, and one failure behind it would disable the workflow.
 */
async function noteHealth(client: ClientBase, settled: readonly Settled[]): Promise<void> {
  const delivered = new Map<string, number>();
  const failed = new Set<string>();
  for (const { row, outcome } of settled) {
    const { workflow_id: id } = row;
    if (outcome.isDelivered)
      delivered.set(id, Math.max(delivered.get(id) ?? 0, outcome.atMs + outcome.latencyMs));
    else if (!row.is_test) failed.add(id);
  }
  if (delivered.size > 0) {
    await client.query(
      `update queues set failing_since = null, has_news = true,
         last_delivered_at = greatest(coalesce(last_delivered_at, '-infinity'), to_timestamp(at_ms / 1000.0))
       from unnest($1::uuid[], $2::float8[]) as given (id, at_ms) where workflow_id = id`,
      [arrayLiteral([...delivered.keys()]), arrayLiteral([...delivered.values()])],
    );
  }
  const onlyFailed = [...failed].filter((id) => !delivered.has(id));
  if (onlyFailed.length === 0) return;
  await client.query(
    `update queues set failed_at = now(), has_news = has_news or ${IS_FAILING},
       failing_since = case when failed_at > now() - ${FAILING_TIME} then coalesce(failing_since, now()) else now() end
     where workflow_id = any($1::uuid[])`,
    [arrayLiteral(onlyFailed)],
  );
}
