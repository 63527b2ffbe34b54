import { once } from 'node:events';
import { createReadStream, createWriteStream, renameSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { RECORD_COLUMNS, type ChainHead, type LedgerRow } from '@truetally/contracts/attribution';
import { type LedgerSource } from './ledger-source.js';

/**
 * A ledger in a file: a line of JSON with the format and the heads of the chains, then each record as a JSON
 * array of the texts of its columns, then a line with the number of records.
 */
const FORMAT = 'truetally.ledger-export.1';
const COLUMNS = [...RECORD_COLUMNS, 'previous_hash', 'hash'] as const;
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
  const { records, orders, heads } = await readHeading(file);
  return {
    records,
    orders,
    heads,
    batches: () => readRecords(file),
    close: () => Promise.resolve(),
  };
}

async function readHeading(file: string): Promise<Heading> {
  for await (const line of linesOf(file)) {
    const heading = parse(line, `${file} is no export of a ledger`) as Partial<Heading>;
    if (heading.format !== FORMAT) throw new Error(`${file} is no export of the format ${FORMAT}.`);
    if (JSON.stringify(heading.columns) !== JSON.stringify(COLUMNS)) {
      throw new Error(`${file} has other columns than a ledger of this format.`);
    }
    return heading as Heading;
  }
  throw new Error(`${file} is empty.`);
}

async function* readRecords(file: string): AsyncIterable<readonly LedgerRow[]> {
  let rows: LedgerRow[] = [];
  let number = 0;
  let ended: unknown;
  for await (const line of linesOf(file)) {
    number += 1;
    if (number === 1) continue;
    const value = parse(line, `Line ${number} of ${file} is no record`);
    if (Array.isArray(value)) {
      rows.push(rowOf(value));
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

function rowOf(values: readonly unknown[]): LedgerRow {
  const row: Record<string, string | null> = {};
  for (const [index, column] of COLUMNS.entries()) {
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
