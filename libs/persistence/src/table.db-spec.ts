import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anyCharacter } from '@truetally/kernel/testing';
import { createTestDatabase, type TestDatabase } from '@truetally/testing';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { createPool, tableOf } from './index.js';

interface Thing {
  readonly id: string;
  readonly is_new: boolean | null;
  readonly size: number | null;
  readonly share: number;
  readonly name: string | null;
  readonly day: string;
  readonly price: string | null;
  readonly place: string;
  readonly bytes: number;
  readonly made_at: string | null;
  readonly seen_at: string;
  readonly seenMs: number;
  readonly placed_at: string;
  readonly details: object | null;
  readonly settings: object;
  readonly hash: string | null;
  readonly sealed: string;
}
interface Listed extends Thing {
  readonly labels: readonly string[];
  readonly others: readonly string[];
}

const COLUMNS = {
  id: ['thing_id', 'uuid'],
  is_new: 'boolean',
  size: 'integer',
  share: 'double precision',
  name: 'text',
  day: 'date',
  price: 'numeric',
  place: 'bigint',
  bytes: 'count',
  made_at: 'instant',
  seen_at: 'microseconds',
  seenMs: ['seen_ms', 'milliseconds'],
  placed_at: 'timestamptz',
  details: 'json',
  settings: 'jsonb',
  hash: 'hex',
  sealed: 'base64',
} as const;
const THINGS = tableOf<Thing>('things', 'id', COLUMNS);
const LISTED = tableOf<Listed>('things', 'id', { ...COLUMNS, labels: 'text[]', others: 'uuid[]' });
const CREATE = `
  create table things (
    thing_id uuid primary key, is_new boolean, size integer, share double precision not null, name text,
    day text not null, price numeric, place bigint not null, bytes bigint not null, made_at timestamptz(3),
    seen_at timestamptz not null, seen_ms timestamptz(3) not null, placed_at timestamptz not null, details json, settings jsonb not null, hash bytea, sealed bytea not null,
    labels text[] not null default '{}', others uuid[] not null default '{}'
  )`;

/** Postgres has no zero bytes in texts. */
const text = fc.string({ unit: anyCharacter }).filter((value) => !value.includes('\0'));
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value);
const date = fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
const bytes = fc.uint8Array({ maxLength: 40 });
const object = fc.dictionary(
  fc.string({ unit: 'grapheme-ascii' }),
  fc.oneof(fc.integer(), fc.string({ unit: 'grapheme-ascii' }), fc.boolean(), fc.constant(null)),
  { noNullPrototype: true },
);
const thing: fc.Arbitrary<Thing> = fc.record({
  id: fc.uuid(),
  is_new: optional(fc.boolean()),
  size: optional(fc.integer()),
  share: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
  name: optional(text),
  day: date.map((value) => value.toISOString().slice(0, 10)),
  price: optional(fc.bigInt({ min: 0n, max: 10n ** 30n }).map((minor) => `${minor}.07`)),
  place: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  bytes: fc.maxSafeInteger(),
  made_at: optional(date.map((value) => value.toISOString())),
  seen_at: date.map((value) => value.toISOString().replace('Z', '789Z')),
  seenMs: date.map((value) => value.getTime()),
  placed_at: date.map((value) => value.toISOString().replace('T', ' ').replace('Z', '789+00')),
  details: optional(object),
  settings: object,
  hash: optional(bytes.map((value) => Buffer.from(value).toString('hex'))),
  sealed: bytes.map((value) => Buffer.from(value).toString('base64')),
});

describe('a described table', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase('tables');
    const { ownerUrl: url, schema } = database;
    pool = createPool({ url, schema, applicationName: 'test', max: 1 });
    await pool.query(`create schema if not exists ${schema}`);
    await pool.query(CREATE);
  });

  afterAll(() => pool.end());

  async function storedThings(): Promise<readonly Thing[]> {
    const { rows } = await pool.query(`select ${THINGS.selection('t')} from things t`);
    return rows.map(THINGS.read);
  }

  it('returns any record as it was written, one at a time or many at once, and as it was changed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(thing, { selector: ({ id }) => id, maxLength: 5 }),
        thing,
        async (rows, other) => {
          await pool.query('truncate things');
          await pool.query(THINGS.insertAll(rows));
          expect(new Set(await storedThings())).toEqual(new Set(rows));
          await pool.query('truncate things');
          for (const row of rows) await pool.query(THINGS.insert(row));
          expect(new Set(await storedThings())).toEqual(new Set(rows));
          const [first, ...rest] = rows;
          if (first === undefined) return;
          await pool.query(THINGS.update(first.id, other));
          expect(new Set(await storedThings())).toEqual(new Set([{ ...other, id: first.id }, ...rest]));
          await pool.query(THINGS.delete(first.id));
          expect(new Set(await storedThings())).toEqual(new Set(rest));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('stores arrays of a row', async () => {
    const [row] = fc.sample(thing, 1);
    if (row === undefined) throw new Error('No row was drawn.');
    const listed = { ...row, labels: ['a,"b\\', '', 'NULL'], others: [row.id] };
    await pool.query('truncate things');
    await pool.query(LISTED.insert(listed));
    const { rows } = await pool.query(`select ${LISTED.selection()} from things`);
    expect(rows.map(LISTED.read)).toEqual([listed]);
  });
});
