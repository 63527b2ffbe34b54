import { once } from 'node:events';
import { createReadStream, createWriteStream, renameSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { FIRST_RECORD_COLUMNS, RECORD_COLUMNS } from '@truetally/contracts/attribution';
import { type ChainHead, type LedgerRow, type LedgerSource } from './ledger-source.js';

/**
 * A ledger in a file: a line of JSON with the format and the heads of the chains, then each record as a JSON
 * array of the texts of its columns, then a line with the number of records.
 */
const FORMAT = 'truetally.ledger-export.2';
const COLUMNS = [...RECORD_COLUMNS, 'previous_hash', 'hash'] as const;
/** Exports of every format stay readable: columns that a format does not have are null. */
const COLUMNS_OF: ReadonlyMap<unknown, readonly string[]> = new Map<unknown, readonly string[]>([
  ['truetally.ledger-export.1', [...FIRST_RECORD_COLUMNS, 'previous_hash', 'hash']],
  [FORMAT, COLUMNS],
]);
const OWNER_ONLY = 0o600;
const RECORDS_AT_ONCE = 500;

interface Heading {
  readonly format: string;
  readonly columns: readonly string[];
  readonly records: number;
  readonly orders: number;
  readonly heads: readonly ChainHead[];
}

/** Writes a temporary file and moves it into place: an existing export is complete. */
export async function writeExport(
  source: LedgerSource,
  file: string,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  const stream = createWriteStream(temporary, { mode: OWNER_ONLY });
  const written = finished(stream);
  written.catch(() => undefined);
  const write = async (text: string): Promise<void> => {
    if (!stream.write(text)) await Promise.race([once(stream, 'drain'), written]);
  };
  const { records, orders, heads } = source;
  const heading: Heading = { format: FORMAT, columns: COLUMNS, records, orders, heads };
  await write(`${JSON.stringify(heading)}\n`);
  let done = 0;
  for await (const rows of source.batches()) {
    await write(rows.map((row) => `${JSON.stringify(COLUMNS.map((column) => row[column]))}\n`).join(''));
    done += rows.length;
    onProgress(done, records);
  }
  stream.end(`${JSON.stringify({ end: done })}\n`);
  await written;
  renameSync(temporary, file);
}

/** @throws Error when the file is no export, or has an unknown format */
export async function openExport(file: string): Promise<LedgerSource> {
  const { columns, records, orders, heads } = await readHeading(file);
  return {
    records,
    orders,
    heads,
    batches: () => readRecords(file, columns),
    close: () => Promise.resolve(),
  };
}

async function readHeading(file: string): Promise<Heading> {
  for await (const line of linesOf(file)) {
    const heading = parse(line, `${file} is no export of a ledger`) as Partial<Heading>;
    const columns = COLUMNS_OF.get(heading.format);
    if (columns === undefined) throw new Error(`${file} is no export of a format up to ${FORMAT}.`);
    if (JSON.stringify(heading.columns) !== JSON.stringify(columns)) {
      throw new Error(`${file} has other columns than a ledger of this format.`);
    }
    return heading as Heading;
  }
  throw new Error(`${file} is empty.`);
}

async function* readRecords(file: string, columns: readonly string[]): AsyncIterable<readonly LedgerRow[]> {
  let rows: LedgerRow[] = [];
  let number = 0;
  let ended: unknown;
  for await (const line of linesOf(file)) {
    number += 1;
    if (number === 1) continue;
    const value = parse(line, `Line ${number} of ${file} is no record`);
    if (Array.isArray(value)) {
      rows.push(rowOf(value, columns));
      if (rows.length === RECORDS_AT_ONCE) {
        yield rows;
        rows = [];
      }
    } else ended = (value as { end?: unknown } | null)?.end;
  }
  if (rows.length > 0) yield rows;
  // The heading and the end are lines, too.
  if (ended !== number - 2) throw new Error(`${file} is cut off after line ${number}.`);
}

const NO_COLUMNS = Object.fromEntries(COLUMNS.map((column) => [column, null]));

function rowOf(values: readonly unknown[], columns: readonly string[]): LedgerRow {
  const row: Record<string, string | null> = { ...NO_COLUMNS };
  for (const [index, column] of columns.entries()) {
    const value = values[index];
    row[column] = typeof value === 'string' ? value : null;
  }
  // The loop above has set every column.
  return row as LedgerRow;
}

function linesOf(file: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
}

function parse(line: string, problem: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error(`${problem}.`, { cause });
  }
}
