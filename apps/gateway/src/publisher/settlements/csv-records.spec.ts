import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { type CsvFault, type CsvRecord, CsvRecords, MAX_COLUMNS } from './csv-records.js';

function read(...texts: readonly string[]): readonly CsvRecord[] | CsvFault {
  const records = new CsvRecords(',');
  const read: CsvRecord[] = [];
  for (const text of texts) {
    const ended = records.push(text);
    if (typeof ended === 'string') return ended;
    read.push(...ended);
  }
  const last = records.finish();
  if (typeof last === 'string') return last;
  return last === undefined ? read : [...read, last];
}

const cellsOf = (read: readonly CsvRecord[] | CsvFault): unknown =>
  typeof read === 'string' ? read : read.map(({ cells }) => cells);

/** The same by a reader of complete files. */
function readWhole(text: string): unknown {
  try {
    return parse(text, {
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n', '\r'],
    });
  } catch {
    return 'too-long';
  }
}

describe('records of a CSV text', () => {
  it('records of a CSV text are those that another reader finds, whatever pieces the text arrives in', () => {
    const piece = fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', 'a', ' ', '🙂'), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) =>
        isDeepStrictEqual(cellsOf(read(...pieces)), readWhole(pieces.join(''))),
      ),
      { numRuns: 10_000 },
    );
  });

  it.each([2_048, 2_049, 60_000])(
    'a cell of %i characters is kept only as long as a field can be',
    (length) => {
      const [record] = read(`a,"${'x'.repeat(length)}`, '",b') as readonly CsvRecord[];
      const [, long = ''] = record?.cells ?? [];
      expect(record?.cells).toEqual(['a', long, 'b']);
      expect(long.length).toBe(Math.min(length, 2_049));
    },
  );

  it('a long cell never becomes a shorter one by being trimmed', () => {
    const [record] = read(`paid${' '.repeat(3_000)}x,${' '.repeat(3_000)}x`) as readonly CsvRecord[];
    expect(record?.cells.map((cell) => cell.trim().length)).toEqual([2_049, 2_049]);
  });

  it('records of a CSV text have a bounded number of cells, and their whole width', () => {
    const [record] = read(','.repeat(1_000)) as readonly CsvRecord[];
    expect([record?.cells.length, record?.width]).toEqual([MAX_COLUMNS, 1_001]);
  });

  it('end at 64 Ki characters', () => {
    const longest = `"${','.repeat(64 * 1024 - 3)}"`;
    expect(read(`${longest}\n`)).toHaveLength(1);
    expect(read(`"${longest}"\n`)).toBe('too-long');
    expect(read(`${','.repeat(64 * 1024)}\n`)).toBe('too-long');
  });

  it('records of a CSV text have at most 64 Ki characters of empty lines between them', () => {
    const empty = '\n'.repeat(60_000);
    expect(read(`a${empty}b${empty}c`)).toHaveLength(3);
    expect(read(`a${empty}`, empty, 'b')).toBe('blank');
  });

  it('an open quote is a fault at the end', () => {
    expect(read('a,"b')).toBe('too-long');
  });
});
