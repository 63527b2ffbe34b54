import { describe, expect, it } from '@jest/globals';
import { anyCharacter } from '@truetally/kernel/testing';
import fc from 'fast-check';
import type { RawNumber } from '@truetally/kernel';
import { SETTLEMENT_FIELD_CHARACTERS, SETTLEMENT_FIELDS } from './settlement.js';
import {
  decodeUploadPiece,
  PIECE_BYTES,
  PieceText,
  ROWS_PER_PIECE,
  type UploadRow,
} from './settlement-upload.js';

/** What costs most when it is written: six bytes for each character. */
const CONTROL = '\u0001';

describe('a piece of an upload', () => {
  const cell: fc.Arbitrary<RawNumber | number | string | null> = fc.oneof(
    fc.constant(null),
    fc.string({ maxLength: 20, unit: anyCharacter }),
    fc.nat(1_024).map((length) => CONTROL.repeat(length)),
    fc.integer(),
    // Digits that a double does not have.
    fc.constant('12345678901234567890.10').map((digits) => JSON.rawJSON(digits)),
  );
  const values = fc.tuple(...SETTLEMENT_FIELDS.map(() => cell));
  const errors = fc.dictionary(fc.constantFrom('', ...SETTLEMENT_FIELDS), fc.array(fc.string()));
  const anyRow: fc.Arbitrary<UploadRow> = fc.oneof(
    fc.record({ row: fc.nat(), values }),
    fc.record({ row: fc.nat(), errors: errors.map((said) => ({ ...said })) }),
  );

  it('never exceeds its bytes or rows, and is read as it was written', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 30 }), fc.integer({ min: 1, max: 50 }), (some, times) => {
        const rows = Array.from({ length: times }, () => some).flat();
        const piece = new PieceText(true);
        const texts: string[] = [];
        for (const row of rows) {
          if (piece.add(row)) continue;
          texts.push(piece.take());
          expect(piece.add(row)).toBe(true);
        }
        texts.push(piece.take());
        const read = texts.map((text) => decodeUploadPiece(text));
        for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(PIECE_BYTES);
        for (const one of read) expect(one.ok && one.value.rows.length <= ROWS_PER_PIECE).toBe(true);
        expect(read.flatMap((one) => (one.ok ? one.value.rows : []))).toEqual(rows);
      }),
      { numRuns: 50 },
    );
  });

  it('ends at a number of rows', () => {
    const piece = new PieceText(false);
    const row = { row: 1, values: SETTLEMENT_FIELDS.map(() => null) };
    for (let n = 0; n < ROWS_PER_PIECE; n += 1) expect(piece.add(row)).toBe(true);
    expect([piece.add(row), piece.isEmpty]).toEqual([false, false]);
    piece.take();
    expect([piece.isEmpty, piece.add(row)]).toEqual([true, true]);
  });

  it('a piece of an upload has room for the longest row', () => {
    const longest = SETTLEMENT_FIELDS.map((field) => CONTROL.repeat(SETTLEMENT_FIELD_CHARACTERS[field]));
    expect(new PieceText(true).add({ row: 100_000, values: longest })).toBe(true);
  });
});
