import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  FIRST_PREVIOUS_HASH,
  instantColumn,
  RECORD_COLUMNS,
  SEAL_FORMAT,
  type SealedFields,
  type SealedRecord,
  sealOf,
} from './index.js';

const FIELDS = Object.fromEntries(
  RECORD_COLUMNS.map((column, index) => [column, index % 5 === 0 ? null : `${index}-é`]),
) as SealedFields;

function sha256Of(...fields: readonly (string | null)[]): string {
  const prefixed = fields.map((field) => (field === null ? '-' : `${Buffer.byteLength(field)}:${field}`));
  return createHash('sha256').update(prefixed.join('')).digest('hex');
}

describe('the seal of a record', () => {
  it('the seal of a record is SHA-256 over length-prefixed fields, as the decision page writes it down', () => {
    expect(sealOf(FIRST_PREVIOUS_HASH, FIELDS)).toBe(
      sha256Of('truetally.ledger.1', FIRST_PREVIOUS_HASH, ...RECORD_COLUMNS.map((name) => FIELDS[name])),
    );
  });

  it('the records in docs/seals are the test vector of the format: each field, its order and its seal', () => {
    const file = new URL(`../../../../docs/seals/${SEAL_FORMAT}.json`, import.meta.url);
    const records = JSON.parse(readFileSync(file, 'utf8')) as readonly SealedRecord[];
    expect(records.map(({ fields }) => new Map(fields).get('currency'))).toEqual(['EUR', 'JPY', 'KWD']);
    let before = FIRST_PREVIOUS_HASH;
    for (const { format, previous_hash, hash, fields } of records) {
      expect([format, previous_hash]).toEqual([SEAL_FORMAT, before]);
      expect(fields.map(([name]) => name)).toEqual(RECORD_COLUMNS);
      const row = Object.fromEntries(fields) as SealedFields;
      const texts = fields.map(([, text]) => text);
      expect([sealOf(before, row), sha256Of(SEAL_FORMAT, before, ...texts)]).toEqual([hash, hash]);
      before = hash;
    }
  });

  it.each(RECORD_COLUMNS)('changes with %s, also between null and the empty text', (column) => {
    const seals = ['x', '', null, FIELDS[column]].map((value) =>
      sealOf(FIRST_PREVIOUS_HASH, { ...FIELDS, [column]: value }),
    );
    expect(new Set(seals).size).toBe(FIELDS[column] === null ? 3 : 4);
  });

  it('changes with the seal before it', () => {
    expect(sealOf('1'.repeat(64), FIELDS)).not.toBe(sealOf(FIRST_PREVIOUS_HASH, FIELDS));
  });

  it('keeps two fields apart wherever text moves from one to the next', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (left, moved, right) => {
        const one = sealOf(FIRST_PREVIOUS_HASH, { ...FIELDS, order_id: left + moved, order_sequence: right });
        const other = sealOf(FIRST_PREVIOUS_HASH, {
          ...FIELDS,
          order_id: left,
          order_sequence: moved + right,
        });
        expect(one).not.toBe(other);
      }),
    );
  });
});

describe('an instant as Postgres writes it', () => {
  it.each([
    ['2026-01-31T09:30:00.120Z', '2026-01-31 09:30:00.12+00'],
    ['2026-01-31T09:30:00.000Z', '2026-01-31 09:30:00+00'],
    ['2026-01-31T09:30:00Z', '2026-01-31 09:30:00+00'],
    ['0001-01-01T00:00:00.000001Z', '0001-01-01 00:00:00.000001+00'],
  ])('%s', (instant, column) => {
    expect(instantColumn(instant)).toBe(column);
  });

  it.each(['2026-01-31T09:30:00+01:00', '2026-01-31T09:30:00.1234567Z', ''])('refuses %s', (text) => {
    expect(() => instantColumn(text)).toThrow(/Not an instant/);
  });
});
