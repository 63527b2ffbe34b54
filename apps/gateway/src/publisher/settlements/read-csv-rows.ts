import { Readable } from 'node:stream';
import type { IntegrationProvider } from '@truetally/contracts/management';
import type { UploadRow } from '@truetally/contracts/publisher';
import { BODY_PATH } from '@truetally/contracts/validation';
import { CsvError, parse } from 'csv-parse';
import { type ChosenColumns, chooseColumns, valuesOf } from './column-maps.js';
import { UploadRefusal } from './upload-refusal.js';

/** A longer header has no line end. */
const MAX_HEADER_CHARACTERS = 64 * 1024;
const MAX_RECORD_CHARACTERS = 64 * 1024;
const DELIMITERS = [',', ';', '\t'] as const;

/** The properties of a file after its header. */
export interface CsvRows {
  readonly columns: ChosenColumns;
  readonly rows: AsyncIterable<UploadRow>;
}

/**
 * Reads a CSV file row by row: with or without a byte order mark, with commas, semicolons or tabs, and any
 * line ends.
 * @throws UploadRefusal, also while rows are read
 */
export async function readCsvRows(
  text: AsyncGenerator<string>,
  provider: IntegrationProvider,
): Promise<CsvRows> {
  const { delimiter, whole } = await withDelimiter(text);
  const parser = parse({
    delimiter,
    bom: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_CHARACTERS,
    record_delimiter: ['\r\n', '\n', '\r'],
  });
  const source = Readable.from(whole, { objectMode: false });
  source.on('error', (error) => parser.destroy(error)).pipe(parser);
  const records = (parser as AsyncIterable<readonly string[]>)[Symbol.asyncIterator]();
  const first = await nextOf(records);
  if (first === undefined) throw new UploadRefusal('broken-rules', { header: ['is required'] });
  const chosen = chooseColumns(first, provider);
  if ('faults' in chosen) {
    parser.destroy();
    throw new UploadRefusal('broken-rules', chosen.faults);
  }
  return { columns: chosen, rows: rowsOf(records, chosen, first.length) };
}

async function* rowsOf(
  records: AsyncIterator<readonly string[]>,
  columns: ChosenColumns,
  width: number,
): AsyncGenerator<UploadRow> {
  let row = 0;
  for (;;) {
    const record = await nextOf(records);
    if (record === undefined) return;
    row += 1;
    if (record.length === width) yield { row, values: valuesOf(columns, record) };
    else yield { row, fault: `has ${record.length} columns, and the header has ${width}` };
  }
}

async function nextOf(records: AsyncIterator<readonly string[]>): Promise<readonly string[] | undefined> {
  try {
    const { done, value } = await records.next();
    return done === true ? undefined : value;
  } catch (error) {
    if (error instanceof CsvError) {
      const message = `cannot be read as CSV after record ${String(error['records'] ?? 0)}: a quote is not closed`;
      throw new UploadRefusal('broken-rules', { [BODY_PATH]: [message] });
    }
    throw error;
  }
}

/**
 * The most frequent delimiter in the header, outside of quotes; the consumed text is read again with the
 * rest.
 */
async function withDelimiter(
  text: AsyncGenerator<string>,
): Promise<{ readonly delimiter: string; readonly whole: AsyncGenerator<string> }> {
  let begun = '';
  while (!/[\r\n]/.test(begun) && begun.length < MAX_HEADER_CHARACTERS) {
    const { done, value } = await text.next();
    if (done === true) break;
    begun += value;
  }
  const header = (/^[^\r\n]*/.exec(begun)?.[0] ?? '').replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
  return { delimiter, whole: behind(begun, text) };
}

async function* behind(begun: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (begun !== '') yield begun;
  yield* rest;
}
