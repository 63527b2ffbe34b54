import type { DeliveryResource, EventDelivery, ReplayRange } from '@truetally/contracts/outbound';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { cursorBehind, fitting } from '@truetally/kernel';
import { type Listing, type Queryable, readPage } from '@truetally/resource';
import type { ClientBase, QueryResultRow } from 'pg';
import { webhookIdOf } from '../deliver/sign-webhook.js';
import { DELIVERY_LIFETIME_HOURS } from '../domain/retry-schedule.js';
import type { TriggerFact } from '../domain/trigger-fact.js';
import { type OrderedSubject, promoteSubjects } from './queue.store.js';

const INSTANT = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
const COLUMNS = `delivery_id, workflow_id, event_type, event_id, record_id, order_id, status, is_test, created_at,
  case when claim is null then next_attempt_at end as next_attempt_at,
  (select coalesce(json_agg(json_build_object('at', to_char(at at time zone 'UTC', ${INSTANT}), 'status', a.status,
     'latency_ms', latency_ms, 'error', error, 'response', response, 'replay', a.is_replay) order by number), '[]')
   from attempts a where a.delivery_id = deliveries.delivery_id) as attempts`;

function toDelivery(row: QueryResultRow): DeliveryResource {
  return {
    id: row['delivery_id'] as string,
    workflow_id: row['workflow_id'] as string,
    webhook_id: webhookIdOf(row['delivery_id'] as string),
    event_type: row['event_type'] as string,
    event_id: row['event_id'] as string | null,
    record_id: row['record_id'] as string | null,
    order_id: row['order_id'] as string | null,
    status: row['status'] as DeliveryResource['status'],
    test: row['is_test'] as boolean,
    created_at: (row['created_at'] as Date).toISOString(),
    next_attempt_at: (row['next_attempt_at'] as Date | null)?.toISOString() ?? null,
    attempts: row['attempts'] as DeliveryResource['attempts'],
  };
}

export async function findDelivery(
  client: Queryable,
  workflowId: string,
  deliveryId: string,
): Promise<DeliveryResource | undefined> {
  const { rows } = await client.query(
    `select ${COLUMNS} from deliveries where workflow_id = $1 and delivery_id = $2`,
    [workflowId, deliveryId],
  );
  return rows.map(toDelivery)[0];
}

/** Of each event so many, the newest first. */
const DELIVERIES_OF_EVENT = 100;

/** What events of a site have caused; no sample that a test sent. */
export async function deliveriesOfEvents(
  client: Queryable,
  siteId: string,
  eventIds: readonly string[],
): Promise<readonly EventDelivery[]> {
  const { rows } = await client.query<EventDelivery & QueryResultRow>(
    `select event_id, workflow_id, delivery_id, status from unnest($2::text[]) asked
       cross join lateral (
         select event_id, workflow_id, delivery_id, status, created_at from deliveries
         where event_id = asked and site_id = $1 and not is_test
         order by created_at desc, delivery_id desc limit ${DELIVERIES_OF_EVENT}) found
     order by created_at desc, delivery_id desc`,
    [siteId, eventIds],
  );
  return rows;
}

/** The filters' columns, the most selective first; each has an index. */
const FILTERS = ['event_id', 'record_id', 'order_id', 'status'] as const;

/** Read at once: each may have a hundred attempts, with answers for which their page may have no room. */
const DELIVERIES_AT_ONCE = 25;

/** A page of a workflow's deliveries, newest first. */
export async function pageOfDeliveries(client: Queryable, query: ResourceQuery, workflowId: string) {
  const listing = listingOf(query, workflowId);
  const found: DeliveryResource[] = [];
  for (let { cursor } = query; ;) {
    const limit = Math.min(DELIVERIES_AT_ONCE, query.limit - found.length);
    const piece = await readPage(client, { cursor, limit }, listing);
    if ('error' in piece) return piece;
    found.push(...piece.ok.items);
    cursor = piece.ok.next_cursor;
    const items = fitting(found, (item) => JSON.stringify(item));
    const last = items.length < found.length ? items.at(-1) : undefined;
    if (last !== undefined) return { ok: { items, next_cursor: cursorBehind(last.created_at, last.id) } };
    if (cursor === null || found.length === query.limit) return { ok: { items, next_cursor: cursor } };
  }
}

function listingOf(query: ResourceQuery, workflowId: string): Listing<QueryResultRow, DeliveryResource> {
  const { from, to } = query.filters;
  const [first, ...others] = FILTERS.filter((column) => query.filters[column] !== undefined);
  const where = ['workflow_id = $1'];
  const values: unknown[] = [workflowId];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  for (const column of others) where.push(`${column} = ${parameter(query.filters[column])}`);
  const within = (comparison: string, time: string | undefined): void => {
    if (time === undefined) return;
    const at = `${parameter(time)}::timestamptz`;
    // As one comparison of rows, the index begins and ends at the time.
    if (first === undefined) where.push(`created_at ${comparison} ${at}`);
    else where.push(`(${first}, created_at) ${comparison} (${parameter(query.filters[first])}, ${at})`);
  };
  within('>=', from);
  within('<', to);
  return {
    columns: COLUMNS,
    from: 'deliveries',
    idColumn: 'delivery_id',
    createdColumn: 'created_at',
    where,
    values,
    narrowing: first === undefined ? [] : [{ column: first, value: query.filters[first] }],
    toResource: toDelivery,
  };
}

/** Whether a replay may begin; the queue must be locked. Undefined for an unknown delivery. */
export async function standingOf(
  client: ClientBase,
  workflowId: string,
  deliveryId: string,
): Promise<{ readonly isUnderWay: boolean } | undefined> {
  const { rows } = await client.query<{ is_under_way: boolean }>(
    `select coalesce(claimed_until > now(), false) as is_under_way from deliveries
     where workflow_id = $1 and delivery_id = $2`,
    [workflowId, deliveryId],
  );
  return rows.map(({ is_under_way: isUnderWay }) => ({ isUnderWay }))[0];
}

/**
 * Queues deliveries again; the queue must be locked. One that still waits for an earlier one of its subject keeps its place; its
 * next attempt is marked. Others come after every new fact, and after earlier replays of their subject.
 */
export async function queueAgain(client: ClientBase, deliveryIds: readonly string[]): Promise<void> {
  const { rows } = await client.query<OrderedSubject>(
    `update deliveries set is_replay = true,
       lane = case when is_test then 0 when status = 'pending' then lane else 2 end,
       tries = case when status = 'pending' then tries else 0 end,
       next_attempt_at = case when is_test or next_attempt_at is not null then now() end,
       deadline_at = now() + interval '${DELIVERY_LIFETIME_HOURS} hours',
       claim = null, claimed_until = null, status = 'pending'
     where delivery_id = any($1::uuid[])
     returning workflow_id, subject, lane`,
    [deliveryIds],
  );
  await promoteSubjects(
    client,
    rows.filter(({ lane }) => lane === 2),
  );
}

/** A test, to be sent at once. Its queue must be locked, and not that of a deleted workflow. */
export async function insertTest(
  client: ClientBase,
  { deliveryId, workflowId }: { readonly deliveryId: string; readonly workflowId: string },
  { fact, body }: { readonly fact: TriggerFact; readonly body: string },
): Promise<void> {
  await client.query('insert into facts (site_id, fact_key, body) values ($1, $2, $3)', [
    fact.siteId,
    fact.key,
    body,
  ]);
  await client.query(
    `insert into deliveries (delivery_id, workflow_id, site_id, fact_key, subject, event_type, event_id, record_id, order_id,
       is_test, lane, status, next_attempt_at, deadline_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, true, 0, 'pending', now(),
       now() + interval '${DELIVERY_LIFETIME_HOURS} hours')`,
    [
      deliveryId,
      workflowId,
      fact.siteId,
      fact.key,
      fact.subject,
      fact.type,
      fact.eventId,
      fact.recordId,
      fact.orderId,
    ],
  );
}

const MATCHING = `workflow_id = $1 and not is_test and status = any($2::text[])
  and created_at >= $3::timestamptz and created_at < $4::timestamptz`;

function matchingValues(workflowId: string, { statuses, from, to }: ReplayRange): unknown[] {
  return [workflowId, statuses, from, to];
}

/** How many deliveries a range has, counted up to a bound. */
export async function countReplayable(
  client: Queryable,
  workflowId: string,
  range: ReplayRange,
  most: number,
): Promise<number> {
  const { rows } = await client.query<{ matched: number }>(
    `select count(*)::integer as matched from (select from deliveries where ${MATCHING} limit $5) found`,
    [...matchingValues(workflowId, range), most],
  );
  return rows[0]?.matched ?? 0;
}

/** A place in the order of a replay: oldest first. */
export interface ReplayPlace {
  /** With microseconds. */
  readonly at: string;
  readonly id: string;
}

/** The next deliveries of a range after a place. */
export async function nextReplayable(
  client: ClientBase,
  { workflowId, range }: { readonly workflowId: string; readonly range: ReplayRange },
  after: ReplayPlace | null,
  limit: number,
): Promise<readonly ReplayPlace[]> {
  const { rows } = await client.query<ReplayPlace>(
    `select created_at::text as at, delivery_id as id from deliveries where ${MATCHING}
       and ($5::timestamptz is null or (created_at, delivery_id) > ($5::timestamptz, $6::uuid))
     order by created_at, delivery_id limit $7`,
    [...matchingValues(workflowId, range), after?.at ?? null, after?.id ?? null, limit],
  );
  return rows;
}

/** How many replays of a workflow wait for their first attempt, counted up to a bound. */
export async function countUntried(client: Queryable, workflowId: string, most: number): Promise<number> {
  const { rows } = await client.query<{ waiting: number }>(
    `select count(*)::integer as waiting from (select from deliveries
       where workflow_id = $1 and lane = 2 and tries = 0 and status = 'pending' limit $2) waiting`,
    [workflowId, most],
  );
  return rows[0]?.waiting ?? 0;
}
