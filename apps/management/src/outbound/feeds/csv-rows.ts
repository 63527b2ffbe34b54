import { CsvError, parse } from 'csv-parse';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RawRow } from '../domain/feed-row.js';
import { FeedError } from './feed-error.js';
import { RowBuilder } from './row-builder.js';

const MAX_COLUMNS = 500;
/** A record that is longer has no end: a quote is not closed. */
const MAX_RECORD_CHARACTERS = 1_048_576;
/** Each line may have its own: by the first one alone, a header that another program wrote would make the rest one record. */
const LINE_ENDS = ['\r\n', '\n', '\r'];
const NO_HEADER = 'The feed is neither XML nor a table with a header that names id and title.';

/**
 * Rows of a table with tabs or commas, whose first line names the fields.
 * @throws FeedError while it is read
 */
export async function* csvRows(text: AsyncIterable<string>, delimiter: ',' | '\t'): AsyncGenerator<RawRow> {
  let header: readonly string[] | undefined;
  let row = 0;
  for await (const cells of recordsOf(text, delimiter)) {
    if (header === undefined) {
      header = namesIn(cells);
      continue;
    }
    row += 1;
    yield rowOf(row, header, cells);
  }
  if (header === undefined) throw new FeedError(NO_HEADER);
}

async function* recordsOf(text: AsyncIterable<string>, delimiter: string): AsyncGenerator<readonly string[]> {
  const parser = parse({
    delimiter,
    record_delimiter: LINE_ENDS,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_CHARACTERS,
  });
  let fault: unknown;
  const done = pipeline(Readable.from(text), parser).catch((error: unknown) => {
    fault = error;
  });
  try {
    for await (const record of parser as AsyncIterable<readonly string[]>) yield record;
  } catch (error) {
    await done;
    throw faultOf(fault ?? error);
  } finally {
    parser.destroy();
    await done;
  }
}

function faultOf(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error;
  return new FeedError('The feed cannot be read as a table: a quote is not closed.');
}

function namesIn(cells: readonly string[]): readonly string[] {
  const names = cells.map((cell) =>
    cell.trim().toLowerCase().replace(/^g:/, '').replaceAll(/\s+/g, '_').slice(0, 100),
  );
  const isHeader = names.includes('id') && names.includes('title') && names.length <= MAX_COLUMNS;
  if (!isHeader) throw new FeedError(NO_HEADER);
  return names;
}

function rowOf(row: number, header: readonly string[], cells: readonly string[]): RawRow {
  const builder = new RowBuilder();
  for (const [at, name] of header.entries()) {
    const value = (cells[at] ?? '').trim();
    if (value === '' || name === '') continue;
    if (builder.take(value.length + name.length) || name === 'id') builder.add(name, value);
  }
  const isEven = cells.length === header.length || cells.slice(header.length).every((cell) => cell === '');
  const isShort = cells.length < header.length;
  const fault = `has ${cells.length} columns, and the header has ${header.length}`;
  return builder.build(row, isShort || !isEven ? fault : undefined);
}
