import type { Position } from '@truetally/kernel';
import { inSnapshot, uuidBytes } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import { filterWords, mayHave } from '../domain/key-filter.js';

/** Of the events of people in a window; blocks that have none are not read. */
export const inWindow = (from: string, to: string): string =>
  `occurred_at >= ${from} and occurred_at < ${to} and occurred_to >= ${from} and occurred_from < ${to} and not is_bot`;

/** Which events of a site are asked for; null is any. */
export interface EventFilter {
  readonly siteId: string;
  readonly eventType: string | null;
  readonly sessionKey: string | null;
  readonly requestKey: string | null;
  readonly eventIds: readonly string[] | null;
  /** Where it is known that none is outside; null is unknown. */
  readonly receivedFrom: string | null;
  readonly receivedTo: string | null;
  readonly after: Position | null;
  readonly limit: number;
}

export interface ListedEvent {
  readonly eventId: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly receivedAt: string;
  /** The same, as exactly as the store has it. */
  readonly at: string;
}

/** Blocks that are read at once: the first page of an unfiltered list needs one or two, and a rare event's many. */
const FIRST_BLOCKS = 2;
const MOST_BLOCKS = 128;
const AS_MS = (time: string): string => `(extract(epoch from ${time}) * 1000)::float8`;

interface FoundBlock {
  readonly blockId: string;
  /** In milliseconds since 1970. */
  readonly receivedTo: number;
}

interface FoundEvent extends ListedEvent {
  /** In milliseconds since 1970. */
  readonly ms: number;
}

/** Pages of one instant each: blocks that were found are not merged before they are read. */
export function pagesOf(pool: Pool): Pick<EventReads, 'page'> {
  return { page: (filter) => inSnapshot(pool, (client) => new EventReads(client).page(filter)) };
}

export class EventReads {
  constructor(private readonly client: Pick<ClientBase, 'query'>) {}

  /**
   * Newest first, by the time of storage. Blocks come by the time of their newest event: what is not newer than the next
   * one's may have to wait for it.
   */
  async page(filter: EventFilter): Promise<readonly ListedEvent[]> {
    // Who asks names an id as often as it is stored: nothing is looked for behind the last of them.
    const limit = Math.min(filter.limit, filter.eventIds?.length ?? filter.limit);
    let found: readonly FoundEvent[] = [];
    let last: FoundBlock | undefined;
    // Terminates: each turn reads blocks behind those of the one before.
    for (let most = FIRST_BLOCKS; ; most = Math.min(4 * most, MOST_BLOCKS)) {
      const blocks = await this.blocks(filter, last, most);
      const events = blocks.length === 0 ? [] : await this.eventsOf(blocks, filter);
      found = [...found, ...events].sort(newestFirst).slice(0, limit);
      last = blocks.at(-1);
      const oldest = found[limit - 1];
      if (last === undefined || blocks.length < most || (oldest && oldest.ms > last.receivedTo))
        return found.map(({ eventId, receivedAt, at }) => ({ eventId, receivedAt, at }));
    }
  }

  /** Those that may have such an event, behind the last one. */
  private async blocks(
    { siteId, eventType, sessionKey, requestKey, eventIds, receivedFrom, receivedTo, after }: EventFilter,
    last: FoundBlock | undefined,
    most: number,
  ): Promise<readonly FoundBlock[]> {
    const where = new Conditions(siteId);
    where.add((place) => `event_types @> array[$${place}::text]`, eventType);
    where.add((place) => `received_to >= $${place}::timestamptz`, receivedFrom);
    where.add((place) => `received_from <= $${place}::timestamptz`, receivedTo);
    where.add((place) => `received_from <= $${place}::timestamptz`, after?.at ?? null);
    for (const keys of [listOf(sessionKey), listOf(requestKey), eventIds])
      if (keys !== null) where.addAll((first) => mayHave('filter', first), filterWords(uuidBytes(keys)));
    if (last !== undefined)
      where.addAll(
        (first) =>
          `(received_to, block_id) < (to_timestamp($${first}::float8 / 1000), $${first + 1}::bigint)`,
        [last.receivedTo, last.blockId],
      );
    const { rows } = await this.client.query<FoundBlock>(
      `select block_id as "blockId", ${AS_MS('received_to')} as "receivedTo" from event_blocks
       where ${where.text} order by received_to desc, block_id desc limit ${most}`,
      where.values,
    );
    return rows;
  }

  private async eventsOf(
    blocks: readonly FoundBlock[],
    { siteId, eventType, sessionKey, requestKey, eventIds, after, limit }: EventFilter,
  ): Promise<readonly FoundEvent[]> {
    const where = new Conditions(siteId);
    where.add(
      (place) => `block_id = any($${place}::bigint[])`,
      blocks.map(({ blockId }) => blockId),
    );
    where.add((place) => `event_type = $${place}`, eventType);
    where.add((place) => `session_key = $${place}::uuid`, sessionKey);
    where.add((place) => `request_key = $${place}::uuid`, requestKey);
    where.add((place) => `event_id = any($${place}::uuid[])`, eventIds);
    if (after !== null)
      where.addAll(
        (first) => `(received_at, event_id) < ($${first}::timestamptz, $${first + 1}::uuid)`,
        [after.at, after.id],
      );
    const { rows } = await this.client.query<FoundEvent>(
      `select event_id as "eventId", received_at::text as at, ${AS_MS('received_at')} as ms,
         to_char(received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "receivedAt"
       from events where ${where.text} order by received_at desc, event_id desc limit ${limit}`,
      where.values,
    );
    return rows;
  }
}

function listOf(key: string | null): readonly string[] | null {
  return key === null ? null : [key];
}

function newestFirst(one: FoundEvent, other: FoundEvent): number {
  return other.ms - one.ms || (one.eventId < other.eventId ? 1 : -1);
}

/** Conditions on the rows of a site, with their values. */
class Conditions {
  readonly values: unknown[];
  private readonly all = ['site_id = $1'];

  constructor(siteId: string) {
    this.values = [siteId];
  }

  get text(): string {
    return this.all.join(' and ');
  }

  /** Null is any. */
  add(condition: (place: number) => string, value: unknown): void {
    if (value !== null) this.addAll(condition, [value]);
  }

  addAll(condition: (first: number) => string, values: readonly unknown[]): void {
    this.all.push(condition(this.values.length + 1));
    this.values.push(...values);
  }
}
