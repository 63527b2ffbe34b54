import { BinaryRows, copyIn, uuidArray, uuidBytes } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import type { EventFact } from '../domain/facts.js';
import { keyFilter, seemingIn } from '../domain/key-filter.js';
import { formatMicros } from '../domain/report-window.js';

/** What is kept of an event. */
export type KeptEvent = Pick<
  EventFact,
  | 'device'
  | 'eventId'
  | 'eventType'
  | 'isBot'
  | 'occurredMicros'
  | 'position'
  | 'receivedMicros'
  | 'requestKey'
  | 'sessionKey'
  | 'siteId'
>;

/** One with so many events is not merged any more. */
export const LARGE_BLOCK = 1_000;
const COLUMNS = `site_id, is_bot, level, events, received_from, received_to, occurred_from, occurred_to, event_types, filter,
  event_ids, session_keys, request_keys, type_places, devices, occurred_at, received_at, positions`;
const COPY_BLOCKS = `copy event_blocks (${COLUMNS}) from stdin with (format binary)`;
const COLUMN_COUNT = COLUMNS.split(',').length;

/** A day. */
const LATE_MICROS = 86_400_000_000;
/** A minute: events that were stored closer to each other are looked for together. */
const SPAN_GAP_MICROS = 60_000_000;
/** Blocks in which an event of such a time may be. */
const BLOCKS_OF_TIME = `
  select distinct on (block.block_id) block.block_id as "blockId", block.filter
  from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) as asked (site_id, first, last)
  join event_blocks block on block.site_id = asked.site_id and block.received_to >= asked.first and block.received_from <= asked.last`;
const KNOWN = `
  select one.event_id as "eventId" from event_blocks block, unnest(block.event_ids) as one (event_id)
  where block.block_id = any($1::bigint[]) and one.event_id in (select unnest($2::uuid[]))`;

/**
 * Keeps events, each of them once, and returns those that were not told before. Their sites are locked. A repetition has the
 * time of storage of the first: only blocks of such a time may have it, which mostly are the one or two of a moment before.
 */
export async function addEvents(
  client: ClientBase,
  events: readonly EventFact[],
): Promise<readonly EventFact[]> {
  if (events.length === 0) return [];
  const known = await knownOf(client, events);
  const fresh = known.size === 0 ? events : events.filter(({ eventId }) => !known.has(eventId));
  await copyBlocks(client, fresh);
  return fresh;
}

async function knownOf(client: ClientBase, events: readonly EventFact[]): Promise<ReadonlySet<string>> {
  const spans = [...Map.groupBy(events, ({ siteId }) => siteId).values()].flatMap(spansOf);
  const { rows: blocks } = await client.query<{ blockId: string; filter: Buffer }>({
    name: 'blocks-of-time',
    text: BLOCKS_OF_TIME,
    values: [
      spans.map(({ siteId }) => siteId),
      spans.map(({ from }) => formatMicros(from)),
      spans.map(({ to }) => formatMicros(to)),
    ],
  });
  if (blocks.length === 0) return NONE;
  const ids = events.map(({ eventId }) => eventId);
  const seeming = seemingIn(
    blocks.map(({ filter }) => filter),
    uuidBytes(ids),
  );
  const asked = ids.filter((_, index) => seeming.has(index));
  if (asked.length === 0) return NONE;
  const { rows } = await client.query<{ eventId: string }>({
    name: 'known-events',
    text: KNOWN,
    values: [blocks.map(({ blockId }) => blockId), uuidArray(asked)],
  });
  return new Set(rows.map(({ eventId }) => eventId));
}

const NONE: ReadonlySet<string> = new Set();

interface Span {
  readonly siteId: string;
  readonly from: number;
  to: number;
}

/**
 * The times of storage of a site's events. After a long stop a call has events of partitions that were read to different times:
 * what was stored between them is not looked at.
 */
function spansOf(events: readonly EventFact[]): readonly Span[] {
  const spans: Span[] = [];
  for (const { siteId, receivedMicros } of events.toSorted(
    (one, other) => one.receivedMicros - other.receivedMicros,
  )) {
    const last = spans.at(-1);
    if (last !== undefined && receivedMicros - last.to <= SPAN_GAP_MICROS) last.to = receivedMicros;
    else spans.push({ siteId, from: receivedMicros, to: receivedMicros });
  }
  return spans;
}

/**
 * Keeps events in blocks: each has those of one site, of people or of bots alone, and of late ones or of others alone.
 * @param level how often they have been merged
 */
export async function copyBlocks(client: ClientBase, events: readonly KeptEvent[], level = 0): Promise<void> {
  if (events.length === 0) return;
  const rows = new BinaryRows(COLUMN_COUNT);
  const blocks = Map.groupBy(events, (event) => `${event.siteId} ${event.isBot} ${isLate(event)}`);
  for (const block of blocks.values()) addBlock(rows, block, level);
  await copyIn(client, COPY_BLOCKS, rows.finish());
}

/** An event of long ago would stretch the times of its block over all of them, which every window within would then read. */
function isLate({ occurredMicros, receivedMicros }: KeptEvent): boolean {
  return Math.abs(receivedMicros - occurredMicros) > LATE_MICROS;
}

function addBlock(rows: BinaryRows, events: readonly KeptEvent[], level: number): void {
  const [first] = events;
  if (first === undefined) return;
  const types = [...new Set(events.map(({ eventType }) => eventType))];
  const places = new Map(types.map((type, index) => [type, index + 1]));
  const [occurred, received] = [timesOf(events, 'occurredMicros'), timesOf(events, 'receivedMicros')];
  const eventIds = uuidBytes(events.map(({ eventId }) => eventId));
  const sessionKeys = uuidBytes(events.map(({ sessionKey }) => sessionKey));
  const requestKeys = uuidBytes(events.map(({ requestKey }) => requestKey));
  rows.row().uuid(first.siteId).boolean(first.isBot);
  rows.smallint(events.length < LARGE_BLOCK ? level : null).integer(events.length);
  rows.timestamp(received.from).timestamp(received.to).timestamp(occurred.from).timestamp(occurred.to);
  rows.textArray(types).bytes(keyFilter(eventIds, sessionKeys, requestKeys));
  rows.uuids(eventIds).uuids(sessionKeys).uuids(requestKeys);
  rows.smallints(Int16Array.from(events, ({ eventType }) => places.get(eventType) ?? 0));
  rows.textArray(events.map(({ device }) => device));
  rows.timestamps(occurred.all).timestamps(received.all);
  rows.bigints(Float64Array.from(events, ({ position }) => position));
}

function timesOf(events: readonly KeptEvent[], name: 'occurredMicros' | 'receivedMicros') {
  let [from, to] = [Infinity, -Infinity];
  const all = new Float64Array(events.length);
  events.forEach((event, index) => {
    const micros = event[name];
    all[index] = micros;
    if (micros < from) from = micros;
    if (micros > to) to = micros;
  });
  return { all, from, to };
}
