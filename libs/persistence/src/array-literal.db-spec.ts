import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anyCharacter } from '@truetally/kernel/testing';
import { createTestDatabase, type TestDatabase } from '@truetally/testing';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { arrayLiteral, createPool } from './index.js';

describe('an array literal', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase('arrays');
    const { ownerUrl: url, schema } = database;
    pool = createPool({ url, schema, applicationName: 'test', max: 1 });
  });

  afterAll(() => pool.end());

  it('an array literal is read by Postgres as the original values', async () => {
    const texts = fc.array(
      fc.option(fc.string({ unit: anyCharacter }).filter((text) => !text.includes('\0'))),
      {
        maxLength: 8,
      },
    );
    await fc.assert(
      fc.asyncProperty(texts, async (values) => {
        const { rows } = await pool.query<{ read: unknown }>('select to_json($1::text[]) as read', [
          arrayLiteral(values),
        ]);
        expect(rows).toEqual([{ read: values }]);
      }),
    );
    const words = ['NULL', 'null', '', ' ', '{}', '"', '\\', ',', '\\x00', '\n'];
    const { rows } = await pool.query<{ read: unknown }>('select to_json($1::text[]) as read', [
      arrayLiteral(words),
    ]);
    expect(rows).toEqual([{ read: words }]);
  });

  it('an array literal is one of numbers, truth values and bytes, too', async () => {
    const { rows } = await pool.query<{ numbers: number[]; truths: boolean[]; bytes: string }>(
      `select $1::integer[] as numbers, $2::boolean[] as truths, encode(($3::bytea[])[1], 'hex') as bytes`,
      [arrayLiteral([1, null, -3]), arrayLiteral([true, false, null]), arrayLiteral(['\\x00ff5c22'])],
    );
    expect(rows).toEqual([{ numbers: [1, null, -3], truths: [true, false, null], bytes: '00ff5c22' }]);
  });
});
