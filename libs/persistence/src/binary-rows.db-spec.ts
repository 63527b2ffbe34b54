import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anyCharacter } from '@truetally/kernel/testing';
import fc from 'fast-check';
import { BinaryRows, copyIn, floatArray, floatsOf, uuidArray, uuidBytes } from './index.js';
import { ThingsDatabase } from './testing/things.js';

let database: ThingsDatabase;

beforeAll(async () => {
  database = await ThingsDatabase.open(process.env['TEST_DATABASE_URL']);
});

afterAll(() => database.close());

const texts = fc.option(fc.string({ unit: anyCharacter }).map((text) => text.replaceAll('\0', '')));
const rows = fc.array(
  fc.record({
    id: fc.uuid(),
    at: fc.integer({ min: -(2 ** 50), max: 2 ** 51 }),
    big: fc.maxSafeInteger(),
    tiny: fc.option(fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 })),
    bytes: fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes)),
    ids: fc.array(fc.uuid(), { maxLength: 4 }),
    bigs: fc.array(fc.maxSafeInteger(), { maxLength: 4 }),
    tinies: fc.array(fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 }), { maxLength: 4 }),
    small: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    flag: fc.boolean(),
    name: texts,
    names: fc.option(
      fc.array(
        texts.map((text) => text ?? ''),
        { maxLength: 4 },
      ),
    ),
  }),
  { maxLength: 300 },
);

describe('rows in the binary format', () => {
  it('Postgres has every value as it was written', async () => {
    const client = await database.pool.connect();
    try {
      await client.query(
        `create temporary table copied (place serial, id uuid, at timestamptz, big bigint, small integer, flag boolean, name text,
           names text[], tiny smallint, bytes bytea, ids uuid[], bigs bigint[], tinies smallint[], times timestamptz[])`,
      );
      await fc.assert(
        fc.asyncProperty(rows, async (given) => {
          await client.query('truncate copied restart identity');
          const binary = new BinaryRows(13);
          for (const { id, at, big, small, flag, name, names, tiny, bytes, ids, bigs, tinies } of given)
            binary
              .row()
              .uuidAt(uuidBytes([...ids, id]), ids.length)
              .timestamp(at)
              .bigint(big)
              .integer(small)
              .boolean(flag)
              .text(name)
              .textArray(names)
              .smallint(tiny)
              .bytes(bytes)
              .uuids(uuidBytes(ids))
              .bigints(bigs)
              .smallints(tinies)
              .timestamps([at, at + 1]);
          expect(binary.isEmpty).toBe(given.length === 0);
          const statement =
            'copy copied (id, at, big, small, flag, name, names, tiny, bytes, ids, bigs, tinies, times) from stdin with (format binary)';
          await copyIn(client, statement, binary.finish());
          const { rows: stored } = await client.query(
            `select id, round(extract(epoch from at) * 1000000)::text as at, big::text, small, flag, name, names,
               tiny, bytes, ids, bigs::text[], tinies,
               array(select round(extract(epoch from one) * 1000000)::text from unnest(times) as one) as times
             from copied order by place`,
          );
          const told = given.map(({ at, big, bigs, ...row }) => ({
            ...row,
            at: String(at),
            big: String(big),
            bigs: bigs.map(String),
            times: [String(at), String(at + 1)],
          }));
          expect(stored).toEqual(told);
        }),
        { numRuns: 30 },
      );
    } finally {
      client.release(true);
    }
  });

  it('an array of ids is a parameter that Postgres reads as they are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uuid(), { maxLength: 20 }), async (ids) => {
        const question = 'select $1::uuid[] as ids, $2::uuid[] as same';
        const { rows: read } = await database.pool.query(question, [
          uuidArray(ids),
          uuidArray(uuidBytes(ids)),
        ]);
        expect(read).toEqual([{ ids, same: ids }]);
      }),
    );
  });

  it('an array of floats is the same for Postgres, and as Postgres sends it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.double({ noNaN: true }), { maxLength: 20 }), async (floats) => {
        const { rows: read } = await database.pool.query<{ floats: number[]; sent: Buffer }>(
          'select floats, array_send(floats) as sent from (select $1::float8[] as floats) given',
          [floatArray(floats)],
        );
        expect(read[0]?.floats).toEqual(floats);
        expect(read.map(({ sent }) => [...floatsOf(sent)])).toEqual([floats]);
      }),
    );
  });

  it('an id is the same in capitals, and what is none is refused', () => {
    const id = randomUUID();
    const bytesOf = (text: string) => new BinaryRows(1).row().uuid(text).finish().toString('hex');
    expect(bytesOf(id.toUpperCase())).toBe(bytesOf(id));
    expect(() => bytesOf(id.slice(1))).toThrow(RangeError);
    expect(() => bytesOf(id.replaceAll('-', ''))).toThrow(RangeError);
    for (const place of id.split('').keys())
      for (const wrong of ['g', '\u0130', '\u{ff10}'])
        expect(() => bytesOf(id.slice(0, place) + wrong + id.slice(place + 1))).toThrow(RangeError);
  });
});
