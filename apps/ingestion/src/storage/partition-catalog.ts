import { setImmediate as turn } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import { BITS_PER_BYTE, EventKeyFilter, filterSize } from '../domain/event-key-filter.js';

/** A partition of the event table; its name is its start in Postgres' UTC text. */
export interface Partition {
  readonly startsAt: string;
  readonly tableName: string;
}

interface ClosedPartition extends Partition {
  /**
   * `unread`, `reading`: may contain every key. `read`: its filter decides. `empty`: contains none. `left`:
   * too old.
   */
  state: 'unread' | 'reading' | 'read' | 'empty' | 'left';
  slot: number | undefined;
}

interface PartitionRow {
  readonly starts_at: string;
  readonly table_name: string;
}

/** The last one is the current one: partitions created ahead are empty. */
const PARTITIONS = `
  select one.starts_at::text, one.table_name from event_partitions one, partition_clock clock
  where one.starts_at <= clock.starts_at and one.ends_at > clock_timestamp() - make_interval(secs => $1)
  order by one.starts_at`;

export interface CatalogOptions {
  readonly windowSeconds: number;
  readonly partitionSeconds: number;
  readonly filterBytes: number;
}

/**
 * One for a window that starts within a partition, one for the slot being cleared: thirty days make 32 slots,
 * four bytes a row.
 */
const SPARE_SLOTS = 2;
/** Above it a closed partition has no filter, and every key is looked up: only with partitions of seconds. */
const MAX_SLOTS = 1_024;
/** Rows cleared per turn of the event loop: less than a millisecond. */
const ROWS_PER_TURN = 131_072;

/**
 * The partitions that may contain a key: the current one, and the closed ones within the deduplication
 * window, each with its filter in memory. In a closed partition whose filter is not read yet, every key is
 * looked up: slow but correct.
 */
export class PartitionCatalog {
  private current: Partition | undefined;
  private closed: readonly ClosedPartition[] = [];
  private inSearch: readonly Partition[] | undefined;
  private readonly bySlot: (ClosedPartition | undefined)[];
  private readonly freeSlots: number[];
  private readonly filter: EventKeyFilter;

  constructor(private readonly options: CatalogOptions) {
    const wanted = Math.ceil(options.windowSeconds / options.partitionSeconds) + SPARE_SLOTS;
    this.filter = new EventKeyFilter(filterSize(options.filterBytes, Math.min(wanted, MAX_SLOTS)));
    this.bySlot = Array.from({ length: this.filter.size.slots }, () => undefined);
    this.freeSlots = this.bySlot.map((_, slot) => slot);
  }

  get positions(): number {
    return this.filter.size.positions;
  }

  get count(): { readonly closed: number; readonly unread: number } {
    const unread = this.closed.filter(isUnread).length;
    return { closed: this.closed.length, unread };
  }

  /** Unread closed partitions, newest first: most replays are recent. */
  unread(): readonly Partition[] {
    return this.closed.filter((partition) => partition.state === 'unread').reverse();
  }

  /** The partition that the clock names, when the catalog knows all earlier closed ones. */
  async at(client: ClientBase, startsAt: string): Promise<Partition> {
    if (!this.isAt(startsAt)) await this.refresh(client);
    if (this.current?.startsAt !== startsAt) throw new Error('The partition clock moved under its lock.');
    return this.current;
  }

  /** Whether `at` knows without a query. */
  isAt(startsAt: string): boolean {
    return this.current?.startsAt === startsAt;
  }

  /** Closed partitions with events, oldest first; the same array until they change. */
  get searched(): readonly Partition[] {
    this.inSearch ??= this.closed.filter((partition) => partition.state !== 'empty');
    return this.inSearch;
  }

  /** Closed partitions that may contain some of the keys, with those keys. */
  candidates(eventIds: readonly string[]): ReadonlyMap<Partition, readonly string[]> {
    const found = new Map<Partition, string[]>();
    for (const partition of this.closed) {
      if (isUnread(partition)) found.set(partition, [...eventIds]);
    }
    const slots: number[] = [];
    for (const eventId of eventIds) {
      slots.length = 0;
      this.filter.candidates(eventId, slots);
      for (const slot of slots) {
        const partition = this.bySlot[slot];
        if (partition?.state !== 'read') continue;
        const keys = found.get(partition);
        if (keys === undefined) found.set(partition, [eventId]);
        else keys.push(eventId);
      }
    }
    return found;
  }

  /** Reads the list of partitions. Results of a slower, older read are ignored. */
  async refresh(client: ClientBase | Pool): Promise<void> {
    const { rows } = await client.query<PartitionRow>({
      name: 'partitions',
      text: PARTITIONS,
      values: [this.options.windowSeconds],
    });
    const current = rows.at(-1);
    if (current === undefined || (this.current !== undefined && isEarlier(current, this.current))) return;
    this.current = { startsAt: current.starts_at, tableName: current.table_name };
    const known = new Map(this.closed.map((partition) => [partition.startsAt, partition]));
    const closed = rows.slice(0, -1).map((row) => known.get(row.starts_at) ?? closedPartition(row));
    if (closed.length === known.size && closed.every((partition) => known.has(partition.startsAt))) return;
    this.closed = closed;
    this.inSearch = undefined;
    for (const partition of closed) known.delete(partition.startsAt);
    for (const left of known.values()) this.retire(left);
  }

  /** Loads the filter of a closed partition, part by part; without room for it the partition stays unread. */
  async read({ startsAt }: Partition, keys: number, parts: AsyncIterable<Uint8Array>): Promise<void> {
    const partition = this.closed.find((one) => one.startsAt === startsAt);
    if (partition?.state !== 'unread') return;
    if (keys === 0) {
      partition.state = 'empty';
      this.inSearch = undefined;
      return;
    }
    const slot = this.freeSlots.pop();
    if (slot === undefined) return;
    partition.state = 'reading';
    const isWhole = await this.load(slot, parts).finally(() => {
      if (partition.state === 'reading') partition.state = 'unread';
    });
    if (!isWhole || !this.closed.includes(partition)) return this.release(slot);
    partition.slot = slot;
    partition.state = 'read';
    this.bySlot[slot] = partition;
  }

  /** Whether the whole filter was loaded; a partly loaded slot is cleared again. */
  private async load(slot: number, parts: AsyncIterable<Uint8Array>): Promise<boolean> {
    let offset = 0;
    try {
      for await (const part of parts) {
        this.filter.load(slot, part, offset);
        offset += part.length;
      }
    } catch (error) {
      await this.release(slot);
      throw error;
    }
    return offset === this.positions / BITS_PER_BYTE;
  }

  /** A partition left the window: its slot is cleared, then free; one that is being read clears its own. */
  private retire(partition: ClosedPartition): void {
    const { slot, state } = partition;
    partition.state = 'left';
    if (slot === undefined || state !== 'read') return;
    this.bySlot[slot] = undefined;
    void this.release(slot);
  }

  private async release(slot: number): Promise<void> {
    for (let row = 0; row < this.positions; row += ROWS_PER_TURN) {
      this.filter.clear(slot, row, row + ROWS_PER_TURN);
      await turn();
    }
    this.freeSlots.push(slot);
  }
}

function closedPartition({ starts_at, table_name }: PartitionRow): ClosedPartition {
  return { startsAt: starts_at, tableName: table_name, state: 'unread', slot: undefined };
}

function isUnread(partition: ClosedPartition): boolean {
  return partition.state === 'unread' || partition.state === 'reading';
}

/** Starts are whole seconds of UTC in one format, so that their text sorts chronologically. */
function isEarlier(row: PartitionRow, than: Partition): boolean {
  return row.starts_at < than.startsAt;
}
