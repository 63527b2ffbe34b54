import type { WorkflowRecord } from '@truetally/contracts/facts';
import { arrayLiteral, inTransaction } from '@truetally/persistence';
import type { Queryable } from '@truetally/resource';
import type { ClientBase, Pool } from 'pg';
import { deleteDeliveries } from './delete-deliveries.js';

const ROWS_PER_PIECE = 1_000;

/** What a queue keeps of its workflow. */
export type QueuedWorkflow = Pick<
  WorkflowRecord,
  'workflow_id' | 'workspace_id' | 'site_id' | 'version' | 'enabled'
> & {
  /** Of management's database (`Revision`); 0, before all others, where it is not known. */
  readonly incarnation?: number;
};

/** Of a deleted workflow: after all others of its incarnation. */
const DELETED_VERSION = 2_147_483_647;

/**
 * Makes the queues of workflows as their definitions say. A workflow that is enabled again begins without failures. Every replica
 * does it, one later than another: what is of the same revision, or of an earlier one, changes nothing. Of the same one are workflows
 * that Kafka had lost. In a transaction, whose locks keep others from storing deliveries in between.
 */
export async function settleQueues(client: ClientBase, workflows: readonly QueuedWorkflow[]): Promise<void> {
  const settled = await insertQueues(
    client,
    workflows,
    `update set
       incarnation = excluded.incarnation,
       version = excluded.version,
       is_enabled = excluded.is_enabled,
       is_deleted = false,
       failing_since = case when excluded.is_enabled and not known.is_enabled then null else known.failing_since end
     where (known.incarnation, known.version) < (excluded.incarnation, excluded.version)
       or known.is_deleted and (known.incarnation, known.version) = (excluded.incarnation, excluded.version)`,
  );
  // A statement that has waited for a queue's lock sees its row as it is by then, and its deliveries as they were before.
  await refreshQueues(client, settled);
}

/** Adds those that are missing. A workflow may have changed since its facts were matched: what it says by now stays. */
export async function addQueues(client: Queryable, workflows: readonly QueuedWorkflow[]): Promise<void> {
  await insertQueues(client, workflows, 'nothing');
}

/** @returns those that are new or changed */
async function insertQueues(
  client: Queryable,
  workflows: readonly QueuedWorkflow[],
  otherwise: string,
): Promise<readonly string[]> {
  if (workflows.length === 0) return [];
  const ordered = workflows.toSorted((left, right) => (left.workflow_id < right.workflow_id ? -1 : 1));
  const { rows } = await client.query<{ workflow_id: string }>(
    `insert into queues as known (workflow_id, workspace_id, site_id, incarnation, version, is_enabled)
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::integer[], $6::boolean[])
     on conflict (workflow_id) do ${otherwise} returning workflow_id`,
    [
      arrayLiteral(ordered.map(({ workflow_id }) => workflow_id)),
      arrayLiteral(ordered.map(({ workspace_id }) => workspace_id)),
      arrayLiteral(ordered.map(({ site_id }) => site_id)),
      arrayLiteral(ordered.map(({ incarnation = 0 }) => incarnation)),
      arrayLiteral(ordered.map(({ version }) => version)),
      arrayLiteral(ordered.map(({ enabled }) => enabled)),
    ],
  );
  return rows.map(({ workflow_id }) => workflow_id);
}

/**
 * First in a transaction that only tells what was sent: the queue's lock is not held for the disk. If Postgres is killed in that
 * moment, a delivery is sent once more, as it would be if its process were.
 */
export const SOON_DURABLE = 'set local synchronous_commit = off';

/**
 * Locks the queues until the transaction ends, in one order everywhere.
 * @returns the workflows that are not deleted: the queue of a deleted one is removed as soon as it has no deliveries, and what is
 *   stored for it then would be kept by nothing
 */
export async function lockQueues(
  client: ClientBase,
  workflowIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ workflow_id: string; is_deleted: boolean }>(
    `select workflow_id, is_deleted from queues where workflow_id = any($1::uuid[])
     order by workflow_id for update`,
    [arrayLiteral(workflowIds)],
  );
  return new Set(rows.flatMap(({ workflow_id, is_deleted }) => (is_deleted ? [] : [workflow_id])));
}

/** What has an order: the new facts of a subject, and its replays. */
export interface OrderedSubject {
  readonly workflow_id: string;
  readonly subject: string;
  readonly lane: number;
}

/** Makes the first waiting delivery of each subject due. The queues must be locked. */
export async function promoteSubjects(
  client: ClientBase,
  subjects: readonly OrderedSubject[],
): Promise<void> {
  if (subjects.length === 0) return;
  await client.query(
    `update deliveries set next_attempt_at = now()
     from (select distinct * from unnest($1::uuid[], $2::text[], $3::smallint[]) as given (workflow_id, subject, lane)) one
     cross join lateral (
       select delivery_id, next_attempt_at from deliveries
       where workflow_id = one.workflow_id and subject = one.subject and lane = one.lane and status = 'pending'
       order by sequence limit 1) head
     where deliveries.delivery_id = head.delivery_id and head.next_attempt_at is null`,
    [
      arrayLiteral(subjects.map(({ workflow_id }) => workflow_id)),
      arrayLiteral(subjects.map(({ subject }) => subject)),
      arrayLiteral(subjects.map(({ lane }) => lane)),
    ],
  );
}

/** Says anew when each queue is due next. Last in each transaction that changes deliveries of it. */
export async function refreshQueues(client: ClientBase, workflowIds: readonly string[]): Promise<void> {
  await client.query(
    `update queues set next_due_at = next_due(workflow_id, is_enabled)
     where workflow_id = any($1::uuid[]) and not is_deleted`,
    [arrayLiteral(workflowIds)],
  );
}

/**
 * Nothing of a deleted workflow is sent any more; its deliveries go piece by piece.
 * @param incarnation of the database in which it was deleted; undefined for one that Kafka has no more
 */
export async function markDeleted(
  client: Queryable,
  workflowId: string,
  incarnation?: number,
): Promise<void> {
  await client.query(
    `update queues set is_deleted = true, is_enabled = false, next_due_at = null, has_news = false,
       incarnation = coalesce($2, incarnation),
       version = case when $2::bigint is null then version else ${DELETED_VERSION} end
     where workflow_id = $1 and incarnation <= coalesce($2, incarnation)`,
    [workflowId, incarnation],
  );
}

/** Deletes some deliveries of deleted workflows, and their queues last. @returns whether there may be more */
export async function forgetDeletedWorkflows(pool: Pool): Promise<boolean> {
  const deleted = await inTransaction(pool, (client) =>
    deleteDeliveries(
      client,
      `where workflow_id in (select workflow_id from queues where is_deleted)
      limit ${ROWS_PER_PIECE}`,
      [],
    ),
  );
  if (deleted.length === ROWS_PER_PIECE) return true;
  await pool.query(
    `delete from queues where is_deleted
       and not exists (select from deliveries where deliveries.workflow_id = queues.workflow_id)`,
  );
  return false;
}

/** Interface page, section 10. */
export const DELIVERIES_KEPT_DAYS = 30;

/**
 * Forgets deliveries that were kept for so long; their attempts go with them. One that is sent again is kept until that has ended,
 * which the next of its subject waits for.
 */
export async function forgetOldDeliveries(pool: Pool): Promise<boolean> {
  const old = `where status <> 'pending' and created_at < now() - interval '${DELIVERIES_KEPT_DAYS} days' limit ${ROWS_PER_PIECE}`;
  const deleted = await inTransaction(pool, (client) =>
    deleteDeliveries(client, old, [], "status <> 'pending'"),
  );
  return deleted.length === ROWS_PER_PIECE;
}

/** What is to be told of a workflow. */
export interface QueueNews {
  readonly workflow_id: string;
  readonly version: number;
  readonly last_delivered_at: Date | null;
  readonly is_failing: boolean;
}

const NEWS_PER_PIECE = 500;
const WITH_NEWS = `from queues where has_news and (told_at is null or told_at < now() - interval '5 s')`;

/** Whether there is anything to take: that costs less than a transaction that takes nothing. */
export async function hasNews(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>(`select exists (select ${WITH_NEWS}) as found`);
  return rows[0]?.found === true;
}

/** Takes what is new of queues, each at most every five seconds. */
export async function takeNews(client: ClientBase): Promise<readonly QueueNews[]> {
  const { rows } = await client.query<QueueNews>(
    `update queues set has_news = false, told_at = now() where workflow_id in (
       select workflow_id ${WITH_NEWS}
       order by told_at nulls first limit ${NEWS_PER_PIECE} for update skip locked)
     returning workflow_id, version, last_delivered_at, ${IS_FAILING} as is_failing`,
  );
  return rows;
}

/** What counts as a time of failures (interface page, section 10), and how long nothing may be tried within one. */
export const FAILING_TIME = `interval '3 days'`;
/** Every attempt of that time has failed. */
export const IS_FAILING = `(is_enabled and failing_since is not null and failing_since <= now() - ${FAILING_TIME})`;
