import { fail, type FieldErrors, parseOwnJson, type Result, succeed } from '@truetally/kernel';
import { SETTLEMENT_FIELDS } from './settlement.js';

/** One row of an upload: its values in the order of `SETTLEMENT_FIELDS`, or why it could not be read. */
export type UploadRow =
  | { readonly row: number; readonly values: readonly unknown[] }
  /** By field; the row as a whole has the empty name. */
  | { readonly row: number; readonly errors: FieldErrors };

/** A piece of an upload. Texts and numbers are unchanged, with every digit. */
export interface UploadPiece {
  /** Whether the file contains the time at which its network changed a row. */
  readonly isChangeTimed: boolean;
  readonly rows: readonly UploadRow[];
}

/**
 * An upload in the object store is a sequence of frames: `<key id> <bytes>\n`, then as many bytes, which are a
 * sealed piece.
 */
export const FRAME_HEADER = /^([A-Za-z0-9._-]{1,64}) ([1-9]\d{0,6})$/;
/** The longest line before a piece, with its line end. */
export const FRAME_HEADER_BYTES = 73;

/** Rows of a piece. A reader has up to four pieces in memory. */
export const ROWS_PER_PIECE = 1_000;
/** Size of a piece's text: a row of many escapes takes six times the bytes that it had in its file. */
export const PIECE_BYTES = 256 * 1024;
/** Of all its pieces together. No more than the longest file needs whose texts have few escapes. */
export const ENCODED_UPLOAD_LIMIT_BYTES = 48 * 1024 * 1024;
/** The nonce and the tag of a sealed piece. */
const SEAL_BYTES = 28;
/** A longer frame was not written here. */
export const SEALED_PIECE_LIMIT_BYTES = PIECE_BYTES + SEAL_BYTES;

/**
 * The text of a piece, row by row: its size is known before a row is added, and no row is encoded twice.
 */
export class PieceText {
  private rows: string[] = [];
  private bytes: number;

  constructor(private readonly isChangeTimed: boolean) {
    this.bytes = this.head.length + TAIL.length;
  }

  get isEmpty(): boolean {
    return this.rows.length === 0;
  }

  /** Whether there was room for the row. An empty piece has room for every row of bounded fields. */
  add(row: UploadRow): boolean {
    if (this.rows.length === ROWS_PER_PIECE) return false;
    const text = JSON.stringify('errors' in row ? [row.row, row.errors] : [row.row, ...row.values]);
    const bytes = Buffer.byteLength(text) + SEPARATOR.length;
    if (this.bytes + bytes > PIECE_BYTES) return false;
    this.bytes += bytes;
    this.rows.push(text);
    return true;
  }

  /** Returns the text, and begins the next piece. */
  take(): string {
    const text = `${this.head}${this.rows.join(SEPARATOR)}${TAIL}`;
    this.rows = [];
    this.bytes = this.head.length + TAIL.length;
    return text;
  }

  private get head(): string {
    return `[${this.isChangeTimed},[`;
  }
}

const SEPARATOR = ',';
const TAIL = ']]';

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
  const [errors] = values;
  if (values.length === 1 && isErrors(errors)) return { row, errors };
  return values.length === SETTLEMENT_FIELDS.length ? { row, values } : undefined;
}

function isErrors(value: unknown): value is FieldErrors {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return parseOwnJson(text);
  } catch {
    return undefined;
  }
}
