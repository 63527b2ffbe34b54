import { fail, parseOwnJson, type Result, succeed } from '@truetally/kernel';
import { SETTLEMENT_FIELDS } from './settlement.js';

/** One row of an upload: its values in the order of `SETTLEMENT_FIELDS`, or why it could not be read. */
export type UploadRow =
  | { readonly row: number; readonly values: readonly unknown[] }
  | { readonly row: number; readonly fault: string };

/**
 * A piece of an upload in the object store, sealed, one per line: `<key id> <base64>`. Texts and numbers are
 * unchanged, with every digit.
 */
export interface UploadPiece {
  /** Whether the file contains the time at which its network changed a row. */
  readonly isChangeTimed: boolean;
  readonly rows: readonly UploadRow[];
}

/** Rows of a piece: half of what may be in memory at a time. */
export const ROWS_PER_PIECE = 1_000;

/** Writes a piece of an upload, before it is sealed. */
export function encodeUploadPiece({ isChangeTimed, rows }: UploadPiece): string {
  const written = rows.map((one) => ('fault' in one ? [one.row, one.fault] : [one.row, ...one.values]));
  return JSON.stringify([isChangeTimed, written]);
}

/** Reads a piece back; never throws. */
export function decodeUploadPiece(text: string): Result<UploadPiece, string> {
  const value = parse(text);
  if (!Array.isArray(value)) return fail('not a piece of an upload');
  const [isChangeTimed, written] = value as readonly unknown[];
  if (typeof isChangeTimed !== 'boolean' || !Array.isArray(written)) return fail('not a piece of an upload');
  const rows = (written as readonly unknown[]).map(readRow);
  if (!rows.every((row) => row !== undefined)) return fail('a row is not one');
  return succeed({ isChangeTimed, rows });
}

function readRow(value: unknown): UploadRow | undefined {
  if (!Array.isArray(value)) return undefined;
  const [row, ...values] = value as readonly unknown[];
  if (typeof row !== 'number') return undefined;
  const [fault] = values;
  if (values.length === 1 && typeof fault === 'string') return { row, fault };
  return values.length === SETTLEMENT_FIELDS.length ? { row, values } : undefined;
}

function parse(text: string): unknown {
  try {
    return parseOwnJson(text);
  } catch {
    return undefined;
  }
}
