type Bytes = string | Buffer;

/** One record as the driver hands it to its encoder. */
export interface DriverRecord {
  readonly offsetDelta?: number;
  readonly timestampDelta?: number;
  readonly key?: Bytes | null | undefined;
  readonly value?: Bytes | null | undefined;
  readonly headers?: Readonly<Record<string, Bytes | readonly Bytes[]>>;
}

/** What the driver's array writer asks of an encoded record. */
export interface EncodedRecord {
  readonly buf: Buffer;
  readonly buffer: Buffer;
}

const ATTRIBUTES_BYTES = 1;

/**
 * A record of a record batch (magic 2) in one buffer of its exact size. The driver's own encoder makes one of 512
 * bytes for the record and each of its headers, copies them together, and sizes every number twice.
 */
export function encodeRecord(record: DriverRecord): EncodedRecord {
  const { offsetDelta = 0, timestampDelta = 0, key, value, headers = {} } = record;
  const pairs = pairsOf(headers);
  const bodyBytes =
    ATTRIBUTES_BYTES +
    varIntBytes(timestampDelta) +
    varIntBytes(offsetDelta) +
    sizeOf(key) +
    sizeOf(value) +
    varIntBytes(pairs.length / 2) +
    pairs.reduce<number>((sum, part) => sum + sizeOf(part), 0);
  const buffer = Buffer.allocUnsafe(varIntBytes(bodyBytes) + bodyBytes);
  let offset = writeVarInt(buffer, 0, bodyBytes);
  buffer[offset++] = 0;
  offset = writeVarInt(buffer, offset, timestampDelta);
  offset = writeVarInt(buffer, offset, offsetDelta);
  offset = write(buffer, offset, key);
  offset = write(buffer, offset, value);
  offset = writeVarInt(buffer, offset, pairs.length / 2);
  for (const part of pairs) offset = write(buffer, offset, part);
  return { buf: buffer, buffer };
}

/** Names and values in turn; a name with several values comes several times. */
function pairsOf(headers: NonNullable<DriverRecord['headers']>): readonly Bytes[] {
  const pairs: Bytes[] = [];
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined) throw new TypeError(`The header ${name} has no value.`);
    if (typeof value === 'string' || Buffer.isBuffer(value)) pairs.push(name, value);
    else for (const one of value) pairs.push(name, one);
  }
  return pairs;
}

function sizeOf(bytes: Bytes | null | undefined): number {
  if (bytes === null || bytes === undefined) return varIntBytes(-1);
  const length = byteLength(bytes);
  return varIntBytes(length) + length;
}

function byteLength(bytes: Bytes): number {
  return typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length;
}

function write(buffer: Buffer, offset: number, bytes: Bytes | null | undefined): number {
  if (bytes === null || bytes === undefined) return writeVarInt(buffer, offset, -1);
  const start = writeVarInt(buffer, offset, byteLength(bytes));
  return start + (typeof bytes === 'string' ? buffer.write(bytes, start) : bytes.copy(buffer, start));
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
