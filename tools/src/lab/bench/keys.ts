import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type LocalPostgres, removePostgresData, startPostgres } from '@truetally/processes';
import { copyIn } from '@truetally/persistence';
import pg from 'pg';
import { localFolder } from '../../stack/local-folder.js';
import { DAYS, dayTable, fillDays, fillGeneration, GENERATION } from './fill-keys.js';
import { processorTime } from './processor-time.js';
import type { Row } from './report.js';

/** As one transaction of ingestion has under load. */
const EVENTS_PER_TRANSACTION = 350;
const TRANSACTIONS = 60;
const PASSWORD = 'keys';
const USER = 'postgres';
const PAGE_BYTES = 8_192;
/** False candidates of an event over thirty filters, with 13.4, 6.7 and 3.3 bits a key. */
const CANDIDATES = [0.08, 1.8, 14];
/** Nothing is logged of a table that is filled in the transaction that creates it. */
const SETTINGS = {
  shared_buffers: '1GB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
  maintenance_work_mem: '1GB',
  max_parallel_maintenance_workers: '0',
  max_parallel_workers_per_gather: '0',
  checkpoint_timeout: '1h',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
};

/** Ids of one transaction. */
type Work = (client: pg.Client, eventIds: readonly string[]) => Promise<unknown>;

interface Bench {
  readonly dataDir: string;
  server: LocalPostgres;
  client: pg.Client;
}

/**
 * What it costs to decide whether an event is new, by where the keys of a month are kept: thirty tables of a day,
 * behind filters or without, or one table of the month, which is then also the one that is written.
 */
export async function keyRows(keys: number): Promise<readonly Row[]> {
  const bench = await open(join(localFolder(process.env).path, 'keys'));
  try {
    await fillDays(bench.client, keys);
    const rows = [await size(bench, dayTable(0))];
    for (const candidates of CANDIDATES) {
      rows.push(
        ...(await measured(bench, `asked in ${candidates} days`, (...on) => askSome(...on, candidates))),
      );
    }
    rows.push(...(await measured(bench, 'asked in all thirty days', (...on) => askSome(...on, DAYS))));
    rows.push(await addedToOpenDay(bench));
    await fillGeneration(bench.client);
    rows.push(await size(bench, GENERATION));
    rows.push(...(await measured(bench, 'asked in the month', (...on) => askIn(...on, GENERATION))));
    rows.push(...(await measured(bench, 'keys added to the month', (...on) => add(...on, GENERATION))));
    return rows.map((row) => ({
      ...row,
      name: `${(keys / 1e6).toLocaleString('en')} million keys: ${row.name}`,
    }));
  } finally {
    await close(bench);
    await removePostgresData(bench.dataDir);
  }
}

async function open(dataDir: string): Promise<Bench> {
  const server = await startPostgres({ dataDir, user: USER, password: PASSWORD, settings: SETTINGS });
  const client = new pg.Client(server.url);
  await client.connect();
  return { dataDir: server.dataDir, server, client };
}

async function close({ client, server }: Bench): Promise<void> {
  await client.end();
  await server.stop();
}

/** A probe of so many days for an event, on average, each time other ones. */
async function askSome(client: pg.Client, eventIds: readonly string[], days: number): Promise<void> {
  for (let day = 0; day < DAYS; day += 1) {
    const asked = days === DAYS ? eventIds : eventIds.filter(() => Math.random() < days / DAYS);
    if (asked.length > 0) await askIn(client, asked, dayTable(day));
  }
}

async function askIn(client: pg.Client, eventIds: readonly string[], table: string): Promise<void> {
  const text = `select event_id, place from ${table} where event_id = any($1::uuid[])`;
  const { rows } = await client.query({ name: `ask-${table}`, text, values: [eventIds] });
  if (rows.length > 0) throw new Error('An id that was drawn at random was found.');
}

/** In the order of ids, as the store does. */
async function add(client: pg.Client, eventIds: readonly string[], table: string): Promise<void> {
  const lines = [...eventIds].sort().map((eventId) => `${eventId}\t1\n`);
  await client.query('begin');
  await copyIn(client, `copy ${table} (event_id, place) from stdin`, lines.join(''));
  await client.query('commit');
}

/** Cold, when nothing of the tables is in memory, and warm, directly after it with other events. */
async function measured(bench: Bench, name: string, work: Work): Promise<readonly Row[]> {
  await close(bench);
  forgetFiles(bench.dataDir);
  Object.assign(bench, await open(bench.dataDir));
  return [await run(bench, `${name}, cold`, work), await run(bench, `${name}, warm`, work)];
}

/** As the index of the day that is being written is: all of it in memory. */
async function addedToOpenDay(bench: Bench): Promise<Row> {
  const day = dayTable(DAYS - 1);
  await bench.client.query(
    `select count(*) from ${day} where event_id > '00000000-0000-0000-0000-000000000000'`,
  );
  return run(bench, 'keys added to the day, in memory', (client, eventIds) => add(client, eventIds, day));
}

/** The kernel drops what it has of the files; nobody else's. */
function forgetFiles(dataDir: string): void {
  const drop = 'sync "$1" && dd if="$1" iflag=nocache count=0 status=none';
  execFileSync('find', [
    join(dataDir, 'base'),
    '-type',
    'f',
    '-size',
    '+1M',
    '-exec',
    'sh',
    '-c',
    drop,
    'sh',
    '{}',
    ';',
  ]);
}

async function run({ client, server }: Bench, name: string, work: Work): Promise<Row> {
  const events = EVENTS_PER_TRANSACTION * TRANSACTIONS;
  const before = await counters(client);
  const startedAt = performance.now();
  const { inAll } = await processorTime({ postgres: server.pid }, async () => {
    for (let done = 0; done < TRANSACTIONS; done += 1) {
      await work(
        client,
        Array.from({ length: EVENTS_PER_TRANSACTION }, () => randomBytes(16).toString('hex')),
      );
    }
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await counters(client);
  const per = (value: (of: Counters) => number): number => (value(after) - value(before)) / events;
  const figures = [
    `${(inAll / events).toFixed(1)} µs of Postgres`,
    `${per(({ read }) => read).toFixed(2)} pages read of ${per(({ read, hit }) => read + hit).toFixed(1)}`,
    `${Math.round(per(({ log }) => log))} bytes of log`,
    `${Math.round(events / seconds).toLocaleString('en')} events/s`,
  ];
  return { name: `${name}, an event`, figure: figures.join(', ') };
}

interface Counters {
  readonly read: number;
  readonly hit: number;
  readonly log: number;
}

async function counters(client: pg.Client): Promise<Counters> {
  await client.query('select pg_stat_force_next_flush()');
  const { rows } = await client.query<Counters>(
    `select sum(idx_blks_read + heap_blks_read)::float8 as read, sum(idx_blks_hit + heap_blks_hit)::float8 as hit,
       (pg_current_wal_insert_lsn() - '0/0')::float8 as log from pg_statio_user_tables`,
  );
  return rows[0] ?? { read: 0, hit: 0, log: 0 };
}

async function size({ client }: Bench, table: string): Promise<Row> {
  const { rows } = await client.query<{ rows: number; index: number; heap: number }>(
    `select reltuples as rows, pg_relation_size($1)::float8 as index, pg_relation_size($2::regclass)::float8 as heap
     from pg_class where oid = $2::regclass`,
    [`${table}_key`, table],
  );
  const { rows: number = 1, index = 0, heap = 0 } = rows[0] ?? {};
  const per = (bytes: number): string => (bytes / number).toFixed(1);
  const pages = Math.round(index / PAGE_BYTES).toLocaleString('en');
  return {
    name: `${table === GENERATION ? 'the month' : 'a day'} on disk, a key`,
    figure: `${per(index)} bytes of index (${pages} pages), ${per(heap)} of rows`,
  };
}
