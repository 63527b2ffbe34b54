import { BinaryRows, copyIn, uuidArray, uuidBytes } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import { type EventColumns, keysAt, keyTextAt } from '../domain/event-columns.js';
import { keyFilter, seemingIn } from '../domain/key-filter.js';
import { formatMicros } from '../domain/report-window.js';

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
 * Keeps events, each of them once, and returns the places of those that were not told before. Their sites are locked. A repetition
 * has the time of storage of the first: only blocks of such a time may have it, which mostly are the one or two of a moment before.
 * @param places of them, each event once
 */
export async function addEvents(
  client: ClientBase,
  events: EventColumns,
  places: readonly number[],
): Promise<readonly number[]> {
  if (places.length === 0) return [];
  const known = await knownOf(client, events, places);
  const isFresh = (place: number): boolean => !known.has(keyTextAt(events.eventIds, place));
  const fresh = known.size === 0 ? places : places.filter(isFresh);
  await copyBlocks(client, events, { places: fresh });
  return fresh;
}

/** As `keyTextAt` tells their ids. */
async function knownOf(
  client: ClientBase,
  events: EventColumns,
  places: readonly number[],
): Promise<ReadonlySet<string>> {
  const spans = spansOf(events, places);
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
  const filters = blocks.map(({ filter }) => filter);
  const seeming = seemingIn(filters, keysAt(events.eventIds, places));
  const asked = places.filter((_, index) => seeming.has(index));
  if (asked.length === 0) return NONE;
  const { rows } = await client.query<{ eventId: string }>({
    name: 'known-events',
    text: KNOWN,
    values: [blocks.map(({ blockId }) => blockId), uuidArray(keysAt(events.eventIds, asked))],
  });
  const ids = uuidBytes(rows.map(({ eventId }) => eventId));
  return new Set(rows.map((_, index) => keyTextAt(ids, index)));
}

const NONE: ReadonlySet<string> = new Set();

interface Span {
  readonly siteId: string;
  readonly from: number;
  to: number;
}

/**
 * The times of storage of each site's events. After a long stop a call has events of partitions that were read to different times:
 * what was stored between them is not looked at.
 */
function spansOf(events: EventColumns, places: readonly number[]): readonly Span[] {
  const at = (place: number): number => events.receivedMicros[place] ?? 0;
  const last = new Map<string, Span>();
  const spans: Span[] = [];
  for (const place of places.toSorted((one, other) => at(one) - at(other))) {
    const siteId = events.sites.at(place);
    const span = last.get(siteId);
    if (span !== undefined && at(place) - span.to <= SPAN_GAP_MICROS) span.to = at(place);
    else {
      const next = { siteId, from: at(place), to: at(place) };
      last.set(siteId, next);
      spans.push(next);
    }
  }
  return spans;
}

interface CopiedEvents {
  readonly places: readonly number[];
  /** How often they have been merged. */
  readonly level?: number;
}

/** Keeps events in blocks: each has those of one site, of people or of bots alone, and of late ones or of others alone. */
export async function copyBlocks(
  client: ClientBase,
  events: EventColumns,
  { places, level = 0 }: CopiedEvents,
): Promise<void> {
  if (places.length === 0) return;
  const rows = new BinaryRows(COLUMN_COUNT);
  const blocks = Map.groupBy(places, (place) => blockOf(events, place));
  for (const block of blocks.values()) addBlock(rows, events, block, level);
  await copyIn(client, COPY_BLOCKS, rows.finish());
}

/**
 * The same number for events that share a block. One of long ago would stretch the times of its block over all of them, which
 * every window within would then read.
 */
function blockOf({ sites, areBots, occurredMicros, receivedMicros }: EventColumns, place: number): number {
  const isLate = Math.abs((receivedMicros[place] ?? 0) - (occurredMicros[place] ?? 0)) > LATE_MICROS;
  return 4 * sites.numberAt(place) + 2 * (areBots[place] ?? 0) + (isLate ? 1 : 0);
}

function addBlock(rows: BinaryRows, events: EventColumns, places: readonly number[], level: number): void {
  const [first] = places;
  if (first === undefined) return;
  const types = new Map<number, string>();
  for (const place of places) types.set(events.eventTypes.numberAt(place), events.eventTypes.at(place));
  const typePlaces = new Map([...types.keys()].map((number, index) => [number, index + 1]));
  const [occurred, received] = [
    timesOf(events.occurredMicros, places),
    timesOf(events.receivedMicros, places),
  ];
  const eventIds = keysAt(events.eventIds, places);
  const sessionKeys = keysAt(events.sessionKeys, places);
  const requestKeys = keysAt(events.requestKeys, places);
  rows
    .row()
    .uuid(events.sites.at(first))
    .boolean(events.areBots[first] === 1);
  rows.smallint(places.length < LARGE_BLOCK ? level : null).integer(places.length);
  rows.timestamp(received.from).timestamp(received.to).timestamp(occurred.from).timestamp(occurred.to);
  rows.textArray([...types.values()]).bytes(keyFilter(eventIds, sessionKeys, requestKeys));
  rows.uuids(eventIds).uuids(sessionKeys).uuids(requestKeys);
  rows.smallints(places.map((place) => typePlaces.get(events.eventTypes.numberAt(place)) ?? 0));
  rows.textArray(places.map((place) => events.devices.at(place)));
  rows.timestamps(occurred.all).timestamps(received.all);
  rows.bigints(valuesAt(events.positions, places));
}

function valuesAt(column: Float64Array, places: readonly number[]): Float64Array {
  const values = new Float64Array(places.length);
  // `from` takes ten times as long.
  for (let index = 0; index < values.length; index += 1) values[index] = column[places[index] ?? 0] ?? 0;
  return values;
}

function timesOf(column: Float64Array, places: readonly number[]) {
  const all = valuesAt(column, places);
  let [from, to] = [Infinity, -Infinity];
  for (const micros of all) {
    if (micros < from) from = micros;
    if (micros > to) to = micros;
  }
  return { all, from, to };
}
