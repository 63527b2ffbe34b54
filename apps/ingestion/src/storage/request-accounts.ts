import { TRAIL_ITEMS } from '@truetally/contracts/events';
import { type ClientBase, escapeLiteral } from 'pg';
import {
  countRequests,
  type SettledRequest,
  type SiteCounts,
  trailOf,
  type TrailRow,
} from '../domain/settle-requests.js';

/** The time of the storing transaction, which `open_store` has set. */
const RECEIVED_AT = `current_setting('truetally.received_at')::timestamptz`;

const REMEMBER = `
  insert into handled_requests (correlation_id) select * from unnest($1::text[])
  on conflict do nothing returning correlation_id`;

/** Which requests are handled for the first time, and what makes them known from now on. */
interface Remembered {
  readonly isFirst: (request: SettledRequest) => boolean;
  /** A statement that is sent with the commit, or empty. */
  readonly remembering: string;
}

/**
 * A request that stored a row is identified by that row. One that stored none (only replays or refused items)
 * is recorded here, in the transaction that counts it.
 * @param isTrusting takes it for handled now, as events are taken for new: if it was before, the unique index refuses it, and
 * the transaction begins again
 */
export async function rememberRequests(
  client: ClientBase,
  settled: readonly SettledRequest[],
  isTrusting: boolean,
): Promise<Remembered> {
  const nameless = settled.filter((one) => one.evidence === 'unknown');
  if (nameless.length === 0) return { isFirst: (one) => one.evidence === 'stores-now', remembering: '' };
  // In one order, which prevents deadlocks.
  const correlationIds = nameless.map(({ request }) => request.correlationId).toSorted();
  if (isTrusting) {
    return {
      isFirst: (one) => one.evidence !== 'handled-before',
      remembering: `insert into handled_requests (correlation_id)
        select * from json_array_elements_text(${escapeLiteral(JSON.stringify(correlationIds))})`,
    };
  }
  const { rows } = await client.query<{ correlation_id: string }>({
    name: 'remember-requests',
    text: REMEMBER,
    values: [correlationIds],
  });
  const names = new Set(rows.map((row) => row.correlation_id));
  const isFirst = ({ evidence, request }: SettledRequest): boolean =>
    evidence === 'stores-now' || (evidence === 'unknown' && names.has(request.correlationId));
  return { isFirst, remembering: '' };
}

/** What a transaction counts and tells of its requests, as statements that are sent with the commit. */
export function accountsOf(
  settled: readonly SettledRequest[],
  isFirst: (request: SettledRequest) => boolean,
  writer: number,
): string {
  const counting = countStatement(writer, countRequests(settled, isFirst));
  const telling = trailStatement(writer, trailOf(settled, isFirst));
  return telling === '' ? counting : `${counting}; ${telling}`;
}

/**
 * Adds to the counters.
 * @param writer owner of the rows: no two concurrent transactions share one
 */
function countStatement(writer: number, counts: readonly SiteCounts[]): string {
  if (counts.length === 0) return '';
  const moment = RECEIVED_AT;
  const hour = `date_trunc('hour', ${moment}, 'UTC')`;
  const rows = counts.map(({ siteId, received, stored, deduplicated, failed }) => {
    const lastStored = stored > 0 ? moment : 'null';
    return `(${escapeLiteral(siteId)}::uuid, ${hour}, ${writer}, ${received}, ${stored}, ${deduplicated}, ${failed},
      ${lastStored})`;
  });
  const counting = `
    insert into event_counts as counts (site_id, hour, writer, received, stored, deduplicated, failed,
      last_stored_at)
    values ${rows.join(', ')}
    on conflict (site_id, hour, writer) do update set
      received = counts.received + excluded.received,
      stored = counts.stored + excluded.stored,
      deduplicated = counts.deduplicated + excluded.deduplicated,
      failed = counts.failed + excluded.failed,
      last_stored_at = greatest(counts.last_stored_at, excluded.last_stored_at)`;
  const refusing = refusalStatement(moment, hour, writer, counts);
  return refusing === '' ? counting : `${counting}; ${refusing}`;
}

/**
 * Keeps what was a duplicate or refused. Each site and writer has a ring of so many rows,
 * whose oldest is overwritten: what one site can make us keep is bounded, and no two transactions wait for one another.
 */
export function trailStatement(
  writer: number,
  rows: readonly TrailRow[],
  ring = TRAIL_ITEMS,
  moment = RECEIVED_AT,
): string {
  if (rows.length === 0) return '';
  const brought = newestOfSites(rows, ring).map(({ row, beforeNext }) => ({
    site_id: row.siteId,
    outcome: row.outcome,
    request_id: storable(row.requestId),
    request_index: row.index,
    event_id: row.eventId,
    event_type: row.eventType,
    client_event_id: storable(row.clientEventId),
    trust: row.trust,
    is_bot: row.isBot,
    code: row.code,
    field: storable(row.field),
    rule: storable(row.rule),
    status: row.status,
    before_next: beforeNext,
  }));
  return `
    with brought as (
      select * from json_to_recordset(${escapeLiteral(JSON.stringify(brought))}) as given (site_id uuid, outcome text,
        request_id text, request_index smallint, event_id uuid, event_type text, client_event_id text, trust text,
        is_bot boolean, code text, field text, rule text, status smallint, before_next integer)
    ), moved as (
      insert into trail_rings as rings (site_id, writer, next_slot)
      select site_id, ${writer}, count(*) % ${ring} from brought group by site_id
      on conflict (site_id, writer) do update set next_slot = (rings.next_slot + excluded.next_slot) % ${ring}
      returning site_id, next_slot
    )
    insert into trail_items (site_id, writer, slot, at, outcome, request_id, request_index, event_id, event_type,
      client_event_id, trust, is_bot, code, field, rule, status)
    select site_id, ${writer}, (next_slot - before_next + ${ring}) % ${ring}, ${moment},
      outcome, request_id, request_index, event_id, event_type, client_event_id, trust, is_bot, code, field, rule, status
    from brought join moved using (site_id)
    on conflict (site_id, writer, slot) do update set at = excluded.at, outcome = excluded.outcome,
      request_id = excluded.request_id, request_index = excluded.request_index, event_id = excluded.event_id,
      event_type = excluded.event_type, client_event_id = excluded.client_event_id, trust = excluded.trust,
      is_bot = excluded.is_bot, code = excluded.code, field = excluded.field, rule = excluded.rule,
      status = excluded.status`;
}

/** A ring has room for so many of a transaction. The oldest comes first, with its place counted from the ring's next one. */
function newestOfSites(
  rows: readonly TrailRow[],
  ring: number,
): readonly { readonly row: TrailRow; readonly beforeNext: number }[] {
  const counts = new Map<string, number>();
  const newest = rows.toReversed().map((row) => {
    const beforeNext = (counts.get(row.siteId) ?? 0) + 1;
    counts.set(row.siteId, beforeNext);
    return { row, beforeNext };
  });
  return newest.filter(({ beforeNext }) => beforeNext <= ring).toReversed();
}

/** Postgres' JSON has neither U+0000 nor half a surrogate pair; events are stored without them, too. */
function storable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Most transactions refuse nothing, and send nothing of this. */
function refusalStatement(
  moment: string,
  hour: string,
  writer: number,
  counts: readonly SiteCounts[],
): string {
  const rows = counts.flatMap(({ siteId, reasons, requests }) => [
    ...[...reasons.values()].map(
      ({ code, field, count }) => [siteId, 'item', code, field ?? '', count] as const,
    ),
    ...[...requests].map(([status, count]) => [siteId, 'request', String(status), '', count] as const),
  ]);
  if (rows.length === 0) return '';
  const values = rows.map(([siteId, kind, code, field, count]) => {
    const names = `${escapeLiteral(kind)}, ${escapeLiteral(code)}, ${escapeLiteral(field)}`;
    return `(${escapeLiteral(siteId)}::uuid, ${hour}, ${writer}, ${names}, ${count}, ${moment})`;
  });
  return `
    insert into refusal_counts as counts (site_id, hour, writer, kind, code, field, refused, last_at)
    values ${values.join(', ')}
    on conflict (site_id, hour, writer, kind, code, field) do update set
      refused = counts.refused + excluded.refused,
      last_at = greatest(counts.last_at, excluded.last_at)`;
}

/**
 * More than Postgres ever has connections; above it a connection uses its own process id, which is usually
 * larger.
 */
const MAX_WRITERS = 1_000;
/** The lowest unused number; its lock belongs to the session, and ends with it. */
const TAKE = `
  select coalesce(
    (select n from generate_series(1, ${MAX_WRITERS}) n
     where pg_try_advisory_lock(hashtext(current_schema() || '.event_counts'), n) limit 1),
    pg_backend_pid()) as writer`;

/**
 * Each connection counts in rows of its own, so that storing transactions never wait for one another's
 * counters. It uses the lowest free number instead of a unique one: pools open and close connections all day,
 * and each number leaves a row for every site and hour.
 */
export class CounterWriters {
  private readonly numbers = new WeakMap<ClientBase, number>();

  /** The number of a connection that has one. */
  known(client: ClientBase): number | undefined {
    return this.numbers.get(client);
  }

  /** The number of a connection, for as long as it lives. */
  async of(client: ClientBase): Promise<number> {
    const known = this.numbers.get(client);
    if (known !== undefined) return known;
    const { rows } = await client.query<{ writer: number }>(TAKE);
    const [taken] = rows;
    if (taken === undefined) throw new Error('Postgres gives no number to count under.');
    this.numbers.set(client, taken.writer);
    return taken.writer;
  }
}
