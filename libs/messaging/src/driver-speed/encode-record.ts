export type Bytes = string | Buffer;

/** One record as the driver's user gives it, without a time of its own. */
export interface DriverRecord {
  readonly key?: Bytes | null | undefined;
  readonly value?: Bytes | null | undefined;
  readonly headers?: Readonly<Record<string, Bytes | readonly Bytes[]>>;
}

/** A record whose sizes are known, so that it can be written into a buffer that somebody else allocates. */
export interface MeasuredRecord {
  /** Key, value, and names and values of its headers in turn. */
  readonly parts: readonly (Bytes | null | undefined)[];
  /** Bytes of each part; -1 for one that is null. */
  readonly lengths: readonly number[];
  /** Position in its batch. */
  readonly offsetDelta: number;
  /** Bytes after the length that begins it. */
  readonly bodyBytes: number;
}

const ATTRIBUTES_BYTES = 1;
/** Every record of a request is of the same instant. */
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

/** With the length that begins it. */
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

/** A header with several values comes several times. */
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
  return typeof part === 'string' ? Buffer.byteLength(part) : part.length;
}

function writePart(buffer: Buffer, offset: number, part: Bytes | null | undefined, length: number): number {
  const start = writeVarInt(buffer, offset, length);
  if (part === null || part === undefined) return start;
  return start + (typeof part === 'string' ? buffer.write(part, start) : part.copy(buffer, start));
}

/** Zigzag: small numbers of either sign are short. Exact for 32-bit numbers, which all of these are. */
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
