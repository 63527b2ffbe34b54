import { inTransaction } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import {
  addKeys,
  BITS_PER_BYTE,
  emptyBits,
  KEY_BYTES,
  POSITIONS_PER_KEY,
} from '../domain/event-key-filter.js';
import type { Partition, PartitionCatalog } from './partition-catalog.js';

/** Keys of one page: a few milliseconds of Postgres' time. */
const KEYS_PER_PAGE = 10_000;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Bytes of a filter per read: small, so that reading many filters does not grow the heap. */
const BYTES_PER_READ = 32_768;

/**
 * Loads the filters of closed partitions into the catalog. The keys of a closed partition never change, so
 * that its filter is computed a single time, by the first replica, and stored beside it for all.
 */
export class PartitionFilters {
  constructor(
    private readonly pool: Pool,
    private readonly catalog: PartitionCatalog,
  ) {}

  /** Reads the existing filters: fast, and done before the first event. */
  async readMade(): Promise<void> {
    for (const partition of this.catalog.unread()) {
      const keys = await this.keysOf(this.pool, partition);
      if (keys !== undefined) await this.catalog.read(partition, keys, this.bitsOf(partition));
    }
  }

  /** Computes the missing filters; one that another replica is computing is read at the next call. */
  async makeMissing(): Promise<void> {
    for (const partition of this.catalog.unread()) {
      await inTransaction(this.pool, (client) => this.make(client, partition));
      await this.readMade();
    }
  }

  private async make(client: ClientBase, partition: Partition): Promise<void> {
    const lock = await client.query<{ held: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended(current_schema() || '.partition_filters', $1)) as held`,
      [this.catalog.positions],
    );
    if (lock.rows[0]?.held !== true || (await this.keysOf(client, partition)) !== undefined) return;
    const { keys, bits } = await this.compute(client, partition);
    await client.query(
      `insert into partition_filters (starts_at, positions, positions_per_key, keys, bits)
       values ($1, $2, $3, $4, $5)`,
      [...this.nameOf(partition), keys, bits],
    );
  }

  private nameOf({ startsAt }: Partition): readonly [string, number, number] {
    return [startsAt, this.catalog.positions, POSITIONS_PER_KEY];
  }

  /** Number of keys in a partition's filter; undefined when it does not exist yet. */
  private async keysOf(client: ClientBase | Pool, partition: Partition): Promise<number | undefined> {
    const { rows } = await client.query<{ keys: number }>(
      `select keys::float8 as keys from partition_filters
       where starts_at = $1 and positions = $2 and positions_per_key = $3`,
      [...this.nameOf(partition)],
    );
    return rows[0]?.keys;
  }

  private async *bitsOf(partition: Partition): AsyncGenerator<Uint8Array> {
    for (let offset = 0; offset < this.catalog.positions / BITS_PER_BYTE; offset += BYTES_PER_READ) {
      const { rows } = await this.pool.query<{ part: Buffer }>(
        `select substring(bits from $4 for $5) as part from partition_filters
         where starts_at = $1 and positions = $2 and positions_per_key = $3`,
        [...this.nameOf(partition), offset + 1, BYTES_PER_READ],
      );
      const part = rows[0]?.part;
      if (part === undefined) throw new Error('The filter of a partition is gone.');
      yield part;
    }
  }

  /** Pages of keys in order, from the unique index only; storing continues meanwhile. */
  private async compute(
    client: ClientBase,
    { startsAt }: Partition,
  ): Promise<{ keys: number; bits: Buffer }> {
    const bits = emptyBits(this.catalog.positions);
    let keys = 0;
    let after = NIL_UUID;
    for (let isMore = true; isMore;) {
      const { rows } = await client.query<{ page: Buffer }>('select partition_keys($1, $2, $3) as page', [
        startsAt,
        after,
        KEYS_PER_PAGE,
      ]);
      const page = rows[0]?.page ?? Buffer.alloc(0);
      addKeys(bits, page);
      keys += page.length / KEY_BYTES;
      after = page.toString('hex', page.length - KEY_BYTES);
      isMore = page.length === KEYS_PER_PAGE * KEY_BYTES;
    }
    return { keys, bits: Buffer.from(bits.buffer) };
  }
}
