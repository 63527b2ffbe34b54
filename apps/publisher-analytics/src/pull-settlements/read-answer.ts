import { setImmediate } from 'node:timers/promises';
import { fail, readJson, type Result, succeed } from '@truetally/kernel';
import type { NetworkConnector, NetworkPage } from '../connectors/network-connector.js';
import type { RawRow } from '../domain/read-settlement-row.js';
import { RowSplitter } from './row-splitter.js';

/** Why an answer was not read to its end: it is not whole or not the network's, or a smaller one is needed. */
export type AnswerFault = 'foreign' | 'too-large';

/** Of one answer: work for some seconds. Larger months are asked for in smaller windows. */
export const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
export const MAX_ANSWER_ROWS = 25_000;
/** In memory at a time, and stored together. */
const ROWS_PER_PART = 1_000;

/** A page, and its last rows, which are not taken yet. */
export interface ReadAnswer extends NetworkPage {
  readonly rows: readonly RawRow[];
}

/**
 * Reads an answer as it arrives: row by row, and never more than a part of it in memory.
 * @param take stores a whole part; the next bytes wait for it
 * @throws errors of the connection, and of `take`
 */
export async function readAnswer(
  connector: NetworkConnector,
  page: string,
  chunks: AsyncIterable<Buffer>,
  take: (rows: readonly RawRow[]) => Promise<void>,
): Promise<Result<ReadAnswer, AnswerFault>> {
  const splitter = new RowSplitter(connector.rowsAt);
  const decoder = new TextDecoder();
  let [bytes, count] = [0, 0];
  let rows: RawRow[] = [];
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) return fail('too-large');
    for (const text of splitter.push(decoder.decode(chunk, { stream: true }))) {
      const row = readJson(text);
      if (!row.ok) return fail('foreign');
      count += 1;
      if (count > MAX_ANSWER_ROWS) return fail('too-large');
      rows.push(connector.toRow(row.value.value));
      if (rows.length < ROWS_PER_PART) continue;
      await take(rows);
      rows = [];
    }
    if (splitter.fault !== undefined) return fail(splitter.fault);
    // Several chunks may be there already: others have their turn between them.
    await setImmediate();
  }
  const rest = readJson(splitter.rest());
  const read = rest.ok ? connector.read(page, rest.value.value) : undefined;
  return read === undefined ? fail('foreign') : succeed({ ...read, rows });
}
