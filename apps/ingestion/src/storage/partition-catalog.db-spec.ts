import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { addKeys, emptyBits } from '../domain/event-key-filter.js';
import { type IngestionDatabase, openIngestionDatabase } from '../testing/ingestion-database.js';
import { type Partition, PartitionCatalog } from './partition-catalog.js';

const SECONDS_PER_DAY = 86_400;
const MS_PER_SECOND = 1_000;
const NOW_MS = Math.floor(Date.now() / MS_PER_SECOND) * MS_PER_SECOND;
/** Slots of the smallest catalog: they are allocated in whole words. */
const SLOTS = 32;
/** Many times the duration of clearing such a small filter. */
const MAX_TURNS = 1_000;

let database: IngestionDatabase;
let pool: Pool;

beforeEach(async () => {
  database = await openIngestionDatabase();
  pool = database.openPool(1);
});

afterEach(() => database.close());

function openCatalog(windowDays = 10): PartitionCatalog {
  return new PartitionCatalog({
    windowSeconds: windowDays * SECONDS_PER_DAY,
    partitionSeconds: SECONDS_PER_DAY,
    filterBytes: 4_096,
  });
}

/** The catalog reads a list of partitions, so that no tables are needed. */
async function addPartition(fromDay: number, toDay: number): Promise<void> {
  await database.owner.query('insert into event_partitions values ($1, $2, $3)', [
    day(fromDay),
    day(toDay),
    nameOf(fromDay),
  ]);
}

async function openPartition(fromDay: number): Promise<void> {
  await database.owner.query(
    `update partition_clock clock set starts_at = named.starts_at, ends_at = named.ends_at
     from event_partitions named where table_name = $1`,
    [nameOf(fromDay)],
  );
}

const day = (days: number) => new Date(NOW_MS + days * SECONDS_PER_DAY * MS_PER_SECOND);
const nameOf = (fromDay: number) => `from_day_${fromDay}`;
const namesOf = (partitions: Iterable<Partition>) => [...partitions].map(({ tableName }) => tableName);

describe('the partitions that a catalog knows', () => {
  it('the known partitions are those that began, oldest first, in whichever order they were made', async () => {
    for (const from of [0, -3, 1, -1, -2]) await addPartition(from, from + 1);
    await openPartition(0);
    const catalog = openCatalog();
    await catalog.refresh(pool);
    expect(namesOf(catalog.searched)).toEqual([-3, -2, -1].map(nameOf));
    expect(namesOf(catalog.unread())).toEqual([-1, -2, -3].map(nameOf));
  });

  it('the known partitions are those with a part within the window, however long ago they began', async () => {
    for (const [from, to] of [
      [-9, -6],
      [-6, -4],
      [-4, 0],
      [0, 1],
    ] as const)
      await addPartition(from, to);
    await openPartition(0);
    const catalog = openCatalog(5);
    await catalog.refresh(pool);
    expect(namesOf(catalog.searched)).toEqual([-6, -4].map(nameOf));
  });

  it('the known partitions are not overwritten by a slower reader’s older state', async () => {
    for (const from of [-2, -1]) await addPartition(from, from + 1);
    await openPartition(-1);
    const catalog = openCatalog();
    const slow = holdBack(pool);
    const reading = catalog.refresh(slow.pool);
    await slow.answered;
    await addPartition(0, 1);
    await openPartition(0);
    await catalog.refresh(pool);
    slow.release();
    await reading;
    expect(namesOf(catalog.searched)).toEqual([-2, -1].map(nameOf));
  });
});

describe('a partition whose filter is being read', () => {
  it('a partition whose filter is being read may contain every key until the whole filter is loaded', async () => {
    const catalog = await withClosed(-1);
    const [partition] = catalog.searched;
    if (partition === undefined) throw new Error('There is a closed partition.');
    const [held, another] = [randomUUID(), randomUUID()];
    const gate = makeGate();
    const reading = catalog.read(
      partition,
      1,
      (async function* () {
        const bits = filterOf(catalog, held);
        const half = bits.length / 2;
        yield bits.subarray(0, half);
        await gate.opened;
        yield bits.subarray(half);
      })(),
    );
    expect([...catalog.candidates([held, another])]).toEqual([[partition, [held, another]]]);
    expect(catalog.count).toEqual({ closed: 1, unread: 1 });
    gate.open();
    await reading;
    expect([...catalog.candidates([held, another])]).toEqual([[partition, [held]]]);
    expect(catalog.count).toEqual({ closed: 1, unread: 0 });
  });
});

/** Possible fates of a filter that is being loaded, and of its partition. */
const ENDS: Readonly<Record<string, (catalog: PartitionCatalog, partition: Partition) => Promise<void>>> = {
  'was read and left the window': async (catalog, partition) => {
    await readWhole(catalog, partition);
    await removePartitions();
    await catalog.refresh(pool);
  },
  'came in part': async (catalog, partition) => {
    await catalog.read(partition, 1, partsOf(filterOf(catalog, randomUUID()).subarray(8)));
  },
  'could not be read': async (catalog, partition) => {
    await expect(
      catalog.read(
        partition,
        1,
        (async function* () {
          yield* partsOf(filterOf(catalog, randomUUID()).subarray(8));
          throw new Error('Postgres is away');
        })(),
      ),
    ).rejects.toThrow('Postgres is away');
  },
  'left the window while it was read': async (catalog, partition) => {
    await catalog.read(
      partition,
      1,
      (async function* () {
        await removePartitions();
        await catalog.refresh(pool);
        yield filterOf(catalog, randomUUID());
      })(),
    );
  },
};

describe('the room for filters', () => {
  it.each(Object.keys(ENDS))(
    'the room for filters is free again, and clear, when a filter %s',
    async (name) => {
      const end = ENDS[name];
      if (end === undefined) throw new Error('It is one of them.');
      const catalog = await withClosed(-1);
      for (let round = 0; round < SLOTS + 1; round += 1) {
        await removePartitions();
        await addPartition(-1, 0);
        await catalog.refresh(pool);
        const [partition] = catalog.searched;
        if (partition === undefined) throw new Error('There is a closed partition.');
        await end(catalog, partition);
        // A partition that was dropped returns as a new one, without a loaded filter.
        await removePartitions();
        await catalog.refresh(pool);
      }
      await addPartition(-1, 0);
      await catalog.refresh(pool);
      const [partition] = catalog.searched;
      if (partition === undefined) throw new Error('There is a closed partition.');
      // A slot is free when its rows are cleared; other work may happen in between.
      for (let turns = 0; turns < MAX_TURNS && catalog.count.unread > 0; turns += 1) {
        await catalog.read(partition, 1, partsOf(emptyBits(catalog.positions)));
        await turn();
      }
      expect(catalog.count.unread).toBe(0);
      const keys = Array.from({ length: 100 }, () => randomUUID());
      expect([...catalog.candidates(keys)]).toEqual([]);
    },
  );

  it('the room for filters is not taken by a partition without a key, in which nothing is looked for', async () => {
    const catalog = await withClosed(-1);
    for (const partition of catalog.searched) await catalog.read(partition, 0, partsOf());
    expect(catalog.searched).toEqual([]);
    expect([...catalog.candidates([randomUUID()])]).toEqual([]);
  });
});

/** A catalog whose current partition begins today, behind one closed partition. */
async function withClosed(fromDay: number): Promise<PartitionCatalog> {
  await addPartition(fromDay, 0);
  await addPartition(0, 1);
  await openPartition(0);
  const catalog = openCatalog();
  await catalog.refresh(pool);
  return catalog;
}

async function removePartitions(): Promise<void> {
  await database.owner.query('delete from event_partitions where starts_at < $1', [day(0)]);
}

function filterOf(catalog: PartitionCatalog, ...eventIds: readonly string[]): Uint8Array {
  const bits = emptyBits(catalog.positions);
  addKeys(bits, Buffer.from(eventIds.join('').replaceAll('-', ''), 'hex'));
  return bits;
}

function readWhole(catalog: PartitionCatalog, partition: Partition): Promise<void> {
  return catalog.read(partition, 1, partsOf(filterOf(catalog, randomUUID())));
}

async function* partsOf(...parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* await Promise.resolve(parts);
}

function makeGate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** A pool whose answers wait until they are released, and are true for the moment of the query. */
function holdBack(real: Pool): { readonly pool: Pool; readonly answered: Promise<void>; release(): void } {
  const [answered, released] = [makeGate(), makeGate()];
  const query = async (asked: { name: string; text: string; values: unknown[] }) => {
    const answer = await real.query(asked);
    answered.open();
    await released.opened;
    return answer;
  };
  const slow = new Proxy(real, {
    get: (target, name): unknown => (name === 'query' ? query : Reflect.get(target, name)),
  });
  return { pool: slow, answered: answered.opened, release: released.open };
}
