import type { RawRow } from '../domain/feed-row.js';
import { CsvReader } from './csv-reader.js';
import { FeedError } from './feed-error.js';
import { RowBuilder } from './row-builder.js';

const MAX_COLUMNS = 500;
const MAX_LINE_CHARACTERS = 1_048_576;
/** Each line may have its own: by the first one alone, a header that another program wrote would make the rest one record. */
const LINE_END = /\r\n|\n|\r/;
const NO_HEADER = 'The feed is neither XML nor a table with a header that names id and title.';
const TOO_LONG = `The feed cannot be read as a table: a line is longer than ${MAX_LINE_CHARACTERS} characters.`;
const OPEN_QUOTE = 'has a quote that is not closed';

/**
 * Rows of a table with tabs or commas, whose first line names the fields.
 * @throws FeedError while it is read
 */
export async function* csvRows(text: AsyncIterable<string>, delimiter: ',' | '\t'): AsyncGenerator<RawRow> {
  let header: readonly string[] | undefined;
  let row = 0;
  const reader = new CsvReader(delimiter);
  for await (const line of linesOf(text)) {
    for (const { cells, isBroken } of line === null ? reader.end() : reader.take(line)) {
      if (header === undefined) {
        header = namesIn(cells);
        continue;
      }
      row += 1;
      yield rowOf(row, header, cells, isBroken);
    }
  }
  if (header === undefined) throw new FeedError(NO_HEADER);
}

/** Null behind the last one. */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string | null> {
  let begun: string[] = [];
  let characters = 0;
  let isReturned = false;
  for await (const given of text) {
    // A line end may be divided between two chunks.
    const chunk = isReturned && given.startsWith('\n') ? given.slice(1) : given;
    if (given !== '') isReturned = given.endsWith('\r');
    const lines = chunk.split(LINE_END);
    const last = lines.pop() ?? '';
    for (const line of lines) {
      yield begun.join('') + line;
      [begun, characters] = [[], 0];
    }
    begun.push(last);
    characters += last.length;
    if (characters > MAX_LINE_CHARACTERS) throw new FeedError(TOO_LONG);
  }
  yield begun.join('');
  yield null;
}

function namesIn(cells: readonly string[]): readonly string[] {
  const names = cells.map((cell) =>
    cell.trim().toLowerCase().replace(/^g:/, '').replaceAll(/\s+/g, '_').slice(0, 100),
  );
  const isHeader = names.includes('id') && names.includes('title') && names.length <= MAX_COLUMNS;
  if (!isHeader) throw new FeedError(NO_HEADER);
  return names;
}

function rowOf(row: number, header: readonly string[], cells: readonly string[], isBroken: boolean): RawRow {
  const builder = new RowBuilder();
  for (const [at, name] of header.entries()) {
    const value = (cells[at] ?? '').trim();
    if (value === '' || name === '') continue;
    if (builder.take(value.length + name.length) || name === 'id') builder.add(name, value);
  }
  const isEven = cells.length === header.length || cells.slice(header.length).every((cell) => cell === '');
  const isShort = cells.length < header.length;
  const fault = `has ${cells.length} columns, and the header has ${header.length}`;
  return builder.build(row, isBroken ? OPEN_QUOTE : isShort || !isEven ? fault : undefined);
}
