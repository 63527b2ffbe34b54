import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '@truetally/persistence';
import { createTestDatabase } from '@truetally/testing';
import type pg from 'pg';
import {
  type IngestionDatabase,
  openIngestionDatabase,
  type Replica,
} from '../testing/ingestion-database.js';
import { anEvent, aRequest } from '../testing/requests.js';
import { MIGRATIONS } from './migrations/migrations.js';

let database: IngestionDatabase;
let replica: Replica;

beforeAll(async () => {
  database = await openIngestionDatabase();
  replica = database.replica();
  await replica.store.store([aRequest([anEvent()])]);
});

afterAll(() => database.close());

const INSUFFICIENT_PRIVILEGE = '42501';

describe('the service role', () => {
  it.each([
    'update events set trust = trust',
    'delete from events',
    'truncate events',
    'drop table events',
    'create table mine (id int)',
    'alter table events add column mine int',
    'update partition_clock set starts_at = now()',
    'delete from event_partitions',
    'update partition_filters set keys = 0',
    'delete from event_counts',
    'insert into erased_sites (site_id) values (gen_random_uuid())',
    'delete from erased_sites',
    "select create_partition('2020-01-01', '2020-01-02')",
    'select * from migrations',
  ])('the service role may not %s', async (statement) => {
    await expect(replica.pool.query(statement)).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE });
  });

  it('the service role may erase nothing of a site that is not marked as erased', async () => {
    const erased = replica.pool.query('select erase_events(site_id, received_at, 0, 1) from events');
    await expect(erased).rejects.toThrow('is not marked as erased');
    const counts = replica.pool.query('select erase_counts(site_id, 1) from event_counts');
    await expect(counts).rejects.toThrow('is not marked as erased');
  });

  it('the service role must not change or empty a partition directly either', async () => {
    const { rows } = await replica.pool.query<{ table_name: string }>(
      'select table_name from event_partitions',
    );
    const table = String(rows[0]?.table_name);
    for (const statement of [
      `update ${table} set trust = trust`,
      `delete from ${table}`,
      `drop table ${table}`,
    ]) {
      await expect(replica.pool.query(statement)).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE });
    }
  });

  it('the service role is the only one that may call the functions', async () => {
    const { rows } = await database.owner.query<{ proacl: string }>(
      `select proname, coalesce(proacl::text, '') as proacl from pg_proc where pronamespace = current_schema()::regnamespace`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(6);
    // In an access list, an entry without a name before "=" is that of PUBLIC.
    expect(rows.filter((row) => row.proacl === '' || /[{,]=/.test(row.proacl))).toEqual([]);
  });
});

describe('the plans', () => {
  async function planOf(statement: string, values: unknown[]): Promise<string> {
    const client: pg.PoolClient = await replica.pool.connect();
    try {
      await client.query('begin');
      await client.query('select open_store()');
      const { rows } = await client.query<Record<string, string>>(`explain ${statement}`, values);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  it('find a key in the open partition by its unique index, however small the partition is', async () => {
    const { rows } = await replica.pool.query<{ table_name: string }>(
      'select table_name from event_partitions order by starts_at limit 1',
    );
    const table = String(rows[0]?.table_name);
    const plan = await planOf(`select request_id from ${table} where event_id = any($1::uuid[])`, [[]]);
    expect(plan).toContain(`Index Scan using ${table}_event_id`);
  });

  it("read a closed partition's keys only from the index, in its order", async () => {
    const { rows } = await database.owner.query<{ table_name: string }>(
      'select table_name from event_partitions order by starts_at limit 1',
    );
    const table = String(rows[0]?.table_name);
    await database.owner.query(
      `insert into ${table} select gen_random_uuid(), site_id, event_type, session_id, user_id, device_id,
         client_event_id, occurred_at, received_at, trust, is_bot, request_id, request_partition, request_offset,
         content_hash, correlation_id, properties, context
       from (select * from ${table} limit 1), generate_series(1, 5000)`,
    );
    await database.owner.query(`vacuum analyze ${table}`);
    const { rows: plan } = await database.owner.query<Record<string, string>>(
      `explain select event_id from ${table} where event_id > gen_random_uuid() order by event_id limit 100`,
    );
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain(
      `Index Only Scan using ${table}_event_id`,
    );
  });
});

describe('the migration', () => {
  it('runs twice, and at once in two processes, and changes nothing the second time', async () => {
    const other = await createTestDatabase('ingestion');
    const options = { ...other, url: other.ownerUrl, migrations: MIGRATIONS };
    const done = await Promise.all([migrate(options), migrate(options)]);
    expect(done.map((names) => names.length).sort()).toEqual([0, MIGRATIONS.length]);
    expect(await migrate(options)).toEqual([]);
  });
});
