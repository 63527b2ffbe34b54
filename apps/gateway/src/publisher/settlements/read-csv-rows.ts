import type { NetworkProvider } from '@truetally/contracts/management';
import type { UploadRow } from '@truetally/contracts/publisher';
import { BODY_PATH } from '@truetally/contracts/validation';
import { type ChosenColumns, chooseColumns, valuesOf } from './column-maps.js';
import { type CsvFault, type CsvRecord, CsvRecords, MAX_COLUMNS } from './csv-records.js';
import { boundedRow, faultyRow } from './row-bounds.js';
import { UploadRefusal } from './upload-refusal.js';

/** A longer header has no line end. */
const MAX_HEADER_CHARACTERS = 64 * 1024;
const DELIMITERS = [',', ';', '\t'] as const;

/** The properties of a file after its header. */
export interface CsvRows {
  readonly columns: ChosenColumns;
  readonly rows: AsyncIterable<UploadRow>;
}

/**
 * Reads a CSV file row by row: with commas, semicolons or tabs, and any line ends. Decoding has removed the
 * byte order mark.
 * @throws UploadRefusal, also while rows are read
 */
export async function readCsvRows(text: AsyncGenerator<string>, provider: NetworkProvider): Promise<CsvRows> {
  const { delimiter, whole } = await withDelimiter(text);
  const records = recordsOf(whole, delimiter);
  try {
    return await withColumns(records, provider);
  } catch (error) {
    await records.return(undefined);
    throw error;
  }
}

async function withColumns(records: AsyncGenerator<CsvRecord>, provider: NetworkProvider): Promise<CsvRows> {
  const { done, value: first } = await records.next();
  if (done === true) throw new UploadRefusal('broken-rules', { header: ['is required'] });
  if (first.width > MAX_COLUMNS) {
    throw new UploadRefusal('broken-rules', { header: [`must name at most ${MAX_COLUMNS} columns`] });
  }
  const chosen = chooseColumns(first.cells, provider);
  if ('faults' in chosen) throw new UploadRefusal('broken-rules', chosen.faults);
  return { columns: chosen, rows: rowsOf(records, chosen, first.width) };
}

async function* rowsOf(
  records: AsyncIterable<CsvRecord>,
  columns: ChosenColumns,
  headerWidth: number,
): AsyncGenerator<UploadRow> {
  let row = 0;
  for await (const { cells, width } of records) {
    row += 1;
    if (width === headerWidth) yield boundedRow(row, valuesOf(columns, cells));
    else yield faultyRow(row, `has ${width} columns, and the header has ${headerWidth}`);
  }
}

async function* recordsOf(text: AsyncGenerator<string>, delimiter: string): AsyncGenerator<CsvRecord> {
  const records = new CsvRecords(delimiter);
  let count = 0;
  for await (const piece of text) {
    const ended = records.push(piece);
    if (typeof ended === 'string') throw refusalOf(ended, count);
    count += ended.length;
    yield* ended;
  }
  const last = records.finish();
  if (typeof last === 'string') throw refusalOf(last, count);
  if (last !== undefined) yield last;
}

function refusalOf(fault: CsvFault, records: number): UploadRefusal {
  if (fault === 'blank') return new UploadRefusal('body-too-large');
  const message = `cannot be read as CSV after record ${records}: a quote is not closed, or a line too long`;
  return new UploadRefusal('broken-rules', { [BODY_PATH]: [message] });
}

/**
 * The most frequent delimiter in the header, outside of quotes; the consumed text is read again with the
 * rest. Empty lines before the header are none.
 */
async function withDelimiter(
  text: AsyncGenerator<string>,
): Promise<{ readonly delimiter: string; readonly whole: AsyncGenerator<string> }> {
  let begun = '';
  let hasLineEnd = false;
  while (!hasLineEnd && begun.length < MAX_HEADER_CHARACTERS) {
    const { done, value } = await text.next();
    if (done === true) break;
    hasLineEnd = /[^\r\n][\r\n]/.test(begun.slice(-1) + value);
    begun += value;
  }
  const header = (/^[\r\n]*([^\r\n]*)/.exec(begun)?.[1] ?? '').replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
  return { delimiter, whole: behind(begun, text) };
}

async function* behind(begun: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    if (begun !== '') yield begun;
    yield* rest;
  } finally {
    // A file that is refused for its beginning has no reader of its rest.
    await rest.return(undefined);
  }
}
