import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aPurchase, itemOf } from '../testing/commands.js';
import { type LedgerDatabase, openLedgerDatabase, type Replica } from '../testing/ledger-database.js';
import { aTouch } from '../testing/touches.js';

let database: LedgerDatabase;
let replica: Replica;

beforeAll(async () => {
  database = await openLedgerDatabase();
  replica = database.replica();
  const siteId = randomUUID();
  await replica.ledger.record([itemOf(siteId, aPurchase())]);
  const request = { site_id: siteId, request_id: 'r', touches: [aTouch()] };
  await replica.touches.record([{ request, correlationId: 'first' }]);
});

afterAll(() => database.close());

const TABLES = ['records', 'touches', 'commission_rules', 'click_values'];

describe('the ledger', () => {
  it.each(TABLES)('refuses that its owner deletes from or truncates %s', async (table) => {
    await expect(database.owner.query(`delete from ${table}`)).rejects.toThrow(/append-only/);
    await expect(database.owner.query(`truncate ${table} cascade`)).rejects.toThrow(/append-only/);
  });

  it.each([
    'update records set receivable = 0',
    'update records set hash = previous_hash',
    'update touches set partner_id = null',
    'update commission_rules set rate = 1',
    'update click_values set touch_row_id = gen_random_uuid()',
  ])('refuses its owner: %s', async (statement) => {
    await expect(database.owner.query(statement)).rejects.toThrow(/append-only/);
  });

  it.each([
    ...TABLES.flatMap((table) => [`delete from ${table}`, `truncate ${table}`]),
    'update records set receivable = 0',
    'update touches set partner_id = null',
    'update commission_rules set rate = 1',
    'update click_values set touch_row_id = gen_random_uuid()',
    'delete from chain_heads',
    'delete from erased_sites',
    'insert into erased_sites (site_id) values (gen_random_uuid())',
    'drop trigger append_only_until_erased on touches',
    'alter table records disable trigger all',
    'create table more (id integer)',
  ])('the ledger does not grant its service: %s', async (statement) => {
    await expect(replica.pool.query(statement)).rejects.toThrow(/permission denied|must be owner/);
  });

  it('allows the service to erase touches of a site that is marked as erased, and of no other', async () => {
    const erase = (siteId: unknown) =>
      replica.pool.query(`select erase_touches($1, 'infinity', gen_random_uuid(), 10)`, [siteId]);
    const { rows } = await database.owner.query<{ site_id: string }>('select site_id from touches');
    await expect(erase(rows[0]?.site_id)).rejects.toThrow(
      /DELETE of .*click_values is refused: it is append-only/,
    );
    await replica.pool.query('select announce_erasure(gen_random_uuid())');
    await expect(erase(rows[0]?.site_id)).rejects.toThrow(/append-only/);
    await expect(database.owner.query('delete from touches')).rejects.toThrow(/append-only/);
  });

  it('allows the service to replace a sealed click value and the id of its key', async () => {
    const { rowCount } = await replica.pool.query(
      `update click_values set key_id = 'k2', sealed = decode('AAAA', 'base64')`,
    );
    expect(rowCount).toBe(1);
  });

  it.each([
    ['sums to something', 'receivable = r.receivable + 1'],
    ['says less than nothing remains', 'receivable_balance = -1, merchandise_balance = 1'],
    ['is no purchase and stands first', `event_type = 'adjustment'`],
    ['has no key and is asked for', 'idempotency_key = null'],
    ['is sealed with what is not hexadecimal', `hash = overlay(hash placing 'g' from 20)`],
    ['is sealed in capital letters', `hash = upper(repeat('a', 64))`],
    ['has a seal that ends with a line', `hash = left(hash, 63) || chr(10)`],
    ['has a seal that is too long', `hash = hash || '0'`],
    ['names a seal that is too short', 'previous_hash = left(previous_hash, 63)'],
    ['names a seal that is not hexadecimal', `previous_hash = overlay(previous_hash placing ' ' from 1)`],
  ])('the ledger cannot hold a record that %s', async (_, change) => {
    const copy = `
      create temp table copy as select * from records r limit 1;
      update copy set chain_sequence = 2, order_id = 'other', idempotency_key = 'other';
      update copy r set ${change};
      insert into records select * from copy`;
    const client = await database.owner.connect();
    try {
      await client.query('begin');
      await expect(client.query(copy)).rejects.toThrow(/violates check constraint/);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});
