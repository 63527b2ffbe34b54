import { inTransaction } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import { addKeys, emptyBits, KEY_BYTES } from '../domain/event-key-filter.js';
import type { Partition, PartitionCatalog } from './partition.catalog.js';

/** Keys of one page: a few milliseconds of Postgres's time, and half a megabyte. */
const KEYS_PER_PAGE = 20_000;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

interface FilterRow {
  readonly keys: string;
  readonly bits: Buffer;
}

/**
 * Reads the filters of closed partitions into the catalog. Which keys a closed partition holds never changes, so that
 * its filter is made once, by whichever replica comes first, and kept beside it for all.
 */
export class PartitionFilters {
  constructor(
    private readonly pool: Pool,
    private readonly catalog: PartitionCatalog,
  ) {}

  /** Reads the filters that are there already: quick, and done before the first event. */
  async readMade(): Promise<void> {
    for (const partition of this.catalog.unread()) {
      const made = await this.select(this.pool, partition);
      if (made !== undefined) await this.take(partition, made);
    }
  }

  /** Makes the filters that are missing; one that another replica is making is read at the next call. */
  async makeMissing(): Promise<void> {
    await this.readMade();
    for (const partition of this.catalog.unread()) {
      const made = await inTransaction(this.pool, (client) => this.make(client, partition));
      if (made !== undefined) await this.take(partition, made);
    }
  }

  private async take(partition: Partition, { keys, bits }: FilterRow): Promise<void> {
    await this.catalog.read(partition.startsAt, Number(keys), bits);
  }

  private async make(client: ClientBase, partition: Partition): Promise<FilterRow | undefined> {
    const lock = await client.query<{ held: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended(current_schema() || '.partition_filters', $1)) as held`,
      [this.catalog.positions],
    );
    if (lock.rows[0]?.held !== true) return undefined;
    const made = await this.select(client, partition);
    if (made !== undefined) return made;
    const filter = await this.compute(client, partition);
    await client.query(
      'insert into partition_filters (starts_at, positions, keys, bits) values ($1, $2, $3, $4)',
      [partition.startsAt, this.catalog.positions, filter.keys, filter.bits],
    );
    return filter;
  }

  private async select(client: ClientBase | Pool, { startsAt }: Partition): Promise<FilterRow | undefined> {
    const { rows } = await client.query<FilterRow>({
      text: 'select keys, bits from partition_filters where starts_at = $1 and positions = $2',
      values: [startsAt, this.catalog.positions],
    });
    return rows[0];
  }

  /** Pages of keys in their order, from the unique index alone; storing goes on meanwhile. */
  private async compute(client: ClientBase, { startsAt }: Partition): Promise<FilterRow> {
    const bits = emptyBits(this.catalog.positions);
    let keys = 0;
    let after = NIL_UUID;
    for (let isMore = true; isMore;) {
      const { rows } = await client.query<{ page: Buffer }>({
        text: 'select partition_keys($1, $2, $3) as page',
        values: [startsAt, after, KEYS_PER_PAGE],
      });
      const page = rows[0]?.page ?? Buffer.alloc(0);
      addKeys(bits, page);
      keys += page.length / KEY_BYTES;
      after = page.toString('hex', page.length - KEY_BYTES);
      isMore = page.length === KEYS_PER_PAGE * KEY_BYTES;
    }
    return { keys: String(keys), bits: Buffer.from(bits.buffer) };
  }
}
