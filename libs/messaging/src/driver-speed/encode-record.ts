import { utf8Bytes } from '@truetally/kernel';

export type Bytes = string | Buffer;

/** One record as passed to the driver, without its own timestamp. */
export interface DriverRecord {
  readonly key?: Bytes | null | undefined;
  readonly value?: Bytes | null | undefined;
  readonly headers?: Readonly<Record<string, Bytes | readonly Bytes[]>>;
}

/** A record with known sizes, so that it can be written into a caller's buffer. */
export interface MeasuredRecord {
  /** Key, value, and names and values of its headers in turn. */
  readonly parts: readonly (Bytes | null | undefined)[];
  /** Bytes of each part; -1 for null. */
  readonly lengths: readonly number[];
  /** Position in its batch. */
  readonly offsetDelta: number;
  /** Bytes after its length prefix. */
  readonly bodyBytes: number;
}

const ATTRIBUTES_BYTES = 1;
/** All records of a request have the same timestamp. */
const TIMESTAMP_DELTA_BYTES = 1;
const NULL_LENGTH = -1;
const KEY_AND_VALUE = 2;

export function measureRecord(record: DriverRecord, offsetDelta: number): MeasuredRecord {
  const parts = partsOf(record);
  const lengths = parts.map(byteLength);
  let bodyBytes =
    ATTRIBUTES_BYTES + TIMESTAMP_DELTA_BYTES + varIntBytes(offsetDelta) + varIntBytes(headerCount(parts));
  for (const length of lengths) bodyBytes += varIntBytes(length) + Math.max(length, 0);
  return { parts, lengths, offsetDelta, bodyBytes };
}

/** Including its length prefix. */
export function recordBytes({ bodyBytes }: MeasuredRecord): number {
  return varIntBytes(bodyBytes) + bodyBytes;
}

/** Writes a record of a record batch (magic 2); returns where it ends. */
export function writeRecord(buffer: Buffer, start: number, record: MeasuredRecord): number {
  const { parts, lengths } = record;
  let offset = writeVarInt(buffer, start, record.bodyBytes);
  buffer[offset++] = 0;
  buffer[offset++] = 0;
  offset = writeVarInt(buffer, offset, record.offsetDelta);
  for (let index = 0; index < parts.length; index += 1) {
    if (index === KEY_AND_VALUE) offset = writeVarInt(buffer, offset, headerCount(parts));
    offset = writePart(buffer, offset, parts[index], lengths[index] ?? NULL_LENGTH);
  }
  return parts.length === KEY_AND_VALUE ? writeVarInt(buffer, offset, 0) : offset;
}

/** A header with several values is written several times. */
function partsOf({ key, value, headers = {} }: DriverRecord): (Bytes | null | undefined)[] {
  const parts: (Bytes | null | undefined)[] = [key, value];
  for (const name of Object.keys(headers)) {
    const values = headers[name];
    if (values === undefined) throw new TypeError(`The header ${name} has no value.`);
    if (typeof values === 'string' || Buffer.isBuffer(values)) parts.push(name, values);
    else for (const one of values) parts.push(name, one);
  }
  return parts;
}

function headerCount(parts: readonly unknown[]): number {
  return (parts.length - KEY_AND_VALUE) / 2;
}

function byteLength(part: Bytes | null | undefined): number {
  if (part === null || part === undefined) return NULL_LENGTH;
  return typeof part === 'string' ? utf8Bytes(part) : part.length;
}

function writePart(buffer: Buffer, offset: number, part: Bytes | null | undefined, length: number): number {
  const start = writeVarInt(buffer, offset, length);
  if (part === null || part === undefined) return start;
  return start + (typeof part === 'string' ? buffer.write(part, start) : part.copy(buffer, start));
}

/**
 * Zigzag encoding: small numbers of either sign are short. Exact for 32-bit numbers, which all of these are.
 */
function zigzag(value: number): number {
  return ((value << 1) ^ (value >> 31)) >>> 0;
}

function varIntBytes(value: number): number {
  const bits = 32 - Math.clz32(zigzag(value));
  return bits <= 7 ? 1 : Math.ceil(bits / 7);
}

function writeVarInt(buffer: Buffer, offset: number, value: number): number {
  let rest = zigzag(value);
  let end = offset;
  for (; rest > 0x7f; rest >>>= 7) buffer[end++] = (rest & 0x7f) | 0x80;
  buffer[end++] = rest;
  return end;
}
