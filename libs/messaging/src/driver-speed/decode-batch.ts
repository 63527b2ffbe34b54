import { type KafkaMessage } from 'kafkajs';

/** The driver's reader of a response's bytes, which stands at a batch of records. */
export interface DriverDecoder {
  readonly buffer: Buffer;
  offset: number;
}

/** What a batch's header tells of each of its records. */
interface BatchContext {
  readonly firstOffset: string;
  readonly firstTimestamp: string;
  readonly partitionLeaderEpoch: number;
  readonly inTransaction: boolean;
  readonly isControlBatch: boolean;
  readonly lastOffsetDelta: number;
  readonly producerId: string;
  readonly producerEpoch: number;
  readonly firstSequence: number;
  readonly maxTimestamp: string;
  readonly timestampType: number;
}

type Headers = Record<string, Buffer | null | (Buffer | null)[]>;

/**
 * Key, value and headers are cut out of the batch when they are read: thousands of records wait for their turn, and a piece of
 * a buffer is an object of a hundred bytes, which the collector copies meanwhile.
 */
class DecodedRecord {
  #buffer: Buffer;
  #keyAt: number;
  /** -1 is null. */
  readonly #keyLength: number;
  #valueAt: number;
  readonly #valueLength: number;
  #headersAt: number;

  constructor(
    /** It stands at the key, and then at the headers. */
    cursor: Cursor,
    readonly attributes: number,
    readonly timestamp: string,
    readonly offset: string,
    readonly batchContext: BatchContext & { readonly magicByte: number },
  ) {
    this.#buffer = cursor.buffer;
    this.#keyLength = cursor.varint();
    this.#keyAt = cursor.at;
    cursor.at += Math.max(0, this.#keyLength);
    this.#valueLength = cursor.varint();
    this.#valueAt = cursor.at;
    cursor.at += Math.max(0, this.#valueLength);
    this.#headersAt = cursor.at;
  }

  get magicByte(): number {
    return this.batchContext.magicByte;
  }

  get isControlRecord(): boolean {
    return this.batchContext.isControlBatch;
  }

  get key(): Buffer | null {
    return this.#part(this.#keyAt, this.#keyLength);
  }

  get value(): Buffer | null {
    return this.#part(this.#valueAt, this.#valueLength);
  }

  get headers(): Headers {
    return new Cursor(this.#buffer, this.#headersAt).headers();
  }

  /** Of key and value. */
  get bytes(): number {
    return Math.max(0, this.#keyLength) + Math.max(0, this.#valueLength);
  }

  /** Copies it out of its answer, once. */
  copyOut(): void {
    const start = this.#keyAt;
    if (start === 0) return;
    const cursor = new Cursor(this.#buffer, this.#headersAt);
    cursor.headers();
    this.#buffer = Buffer.from(this.#buffer.subarray(start, cursor.at));
    this.#keyAt = 0;
    this.#valueAt -= start;
    this.#headersAt -= start;
  }

  #part(at: number, length: number): Buffer | null {
    return length === -1 ? null : this.#buffer.subarray(at, at + length);
  }
}

/** For one that waits for long: the answer in which it came is megabytes, which the others need no longer. */
export function copyOut(message: object): void {
  if (message instanceof DecodedRecord) message.copyOut();
}

/** Bytes of its key and value, which are not cut out for it. */
export function bytesOf(message: Pick<KafkaMessage, 'key' | 'value'>): number {
  if (message instanceof DecodedRecord) return message.bytes;
  return (message.key?.length ?? 0) + (message.value?.length ?? 0);
}

export interface DecodedBatch extends BatchContext {
  readonly records: readonly DecodedRecord[];
}

export type DecodeBatch = (decoder: DriverDecoder) => Promise<DecodedBatch>;

/** Where the fields of a batch lie. */
const AT = {
  length: 8,
  leaderEpoch: 12,
  magic: 16,
  attributes: 21,
  lastOffsetDelta: 23,
  firstTimestamp: 27,
  maxTimestamp: 35,
  producerId: 43,
  producerEpoch: 51,
  firstSequence: 53,
  count: 57,
  records: 61,
} as const;
const COMPRESSION = 0x7;
const LOG_APPEND_TIME = 0x8;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;
const WORD = 2 ** 32;
const SEVEN_BITS = 0x7f;
const MORE = 0x80;
/** A longer number may exceed what a JavaScript number holds exactly. */
const EXACT_BYTES = 7;

/**
 * Decodes a batch with plain numbers and without intermediate objects: the driver computes each offset and time with
 * big integers, and copies a record's headers once per header. Compressed and incomplete batches, and numbers
 * beyond 2^53, are left to the driver.
 */
export function decodeBatches(original: DecodeBatch): DecodeBatch {
  return (decoder) => {
    const { buffer, offset: start } = decoder;
    const end = start + AT.leaderEpoch + buffer.readInt32BE(start + AT.length);
    const isPlain = end <= buffer.length && (buffer.readInt16BE(start + AT.attributes) & COMPRESSION) === 0;
    const batch = isPlain ? decodeBatch(buffer, start) : undefined;
    if (batch === undefined) return original(decoder);
    decoder.offset = end;
    return Promise.resolve(batch);
  };
}

function decodeBatch(buffer: Buffer, start: number): DecodedBatch | undefined {
  const firstOffset = longAt(buffer, start);
  const firstTimestamp = longAt(buffer, start + AT.firstTimestamp);
  const maxTimestamp = longAt(buffer, start + AT.maxTimestamp);
  const producerId = longAt(buffer, start + AT.producerId);
  if (![firstOffset, firstTimestamp, maxTimestamp, producerId].every(Number.isSafeInteger)) return undefined;
  const attributes = buffer.readInt16BE(start + AT.attributes);
  const context: BatchContext = {
    firstOffset: String(firstOffset),
    firstTimestamp: String(firstTimestamp),
    partitionLeaderEpoch: buffer.readInt32BE(start + AT.leaderEpoch),
    inTransaction: (attributes & TRANSACTIONAL) > 0,
    isControlBatch: (attributes & CONTROL) > 0,
    lastOffsetDelta: buffer.readInt32BE(start + AT.lastOffsetDelta),
    producerId: String(producerId),
    producerEpoch: buffer.readInt16BE(start + AT.producerEpoch),
    firstSequence: buffer.readInt32BE(start + AT.firstSequence),
    maxTimestamp: String(maxTimestamp),
    timestampType: (attributes & LOG_APPEND_TIME) > 0 ? 1 : 0,
  };
  const cursor = new Cursor(buffer, start + AT.records);
  const of = { ...context, magicByte: buffer.readInt8(start + AT.magic) };
  const count = buffer.readInt32BE(start + AT.count);
  const records: DecodedRecord[] = [];
  for (let index = 0; index < count; index++) {
    records.push(readRecord(cursor, { firstOffset, firstTimestamp, context: of }));
  }
  return cursor.isExact ? { ...context, records } : undefined;
}

function longAt(buffer: Buffer, offset: number): number {
  return buffer.readInt32BE(offset) * WORD + buffer.readUInt32BE(offset + 4);
}

interface OfBatch {
  readonly firstOffset: number;
  readonly firstTimestamp: number;
  readonly context: BatchContext & { readonly magicByte: number };
}

function readRecord(cursor: Cursor, { firstOffset, firstTimestamp, context }: OfBatch): DecodedRecord {
  const end = cursor.varint() + cursor.at;
  const attributes = cursor.buffer.readInt8(cursor.at++);
  const timestamp = firstTimestamp + cursor.varlong();
  if (!Number.isSafeInteger(timestamp)) cursor.isExact = false;
  const isAppendTime = context.timestampType === 1;
  const offset = String(firstOffset + cursor.varint());
  const time = isAppendTime ? context.maxTimestamp : String(timestamp);
  const record = new DecodedRecord(cursor, attributes, time, offset, context);
  cursor.at = end;
  return record;
}

/** Reads what follows a place. */
class Cursor {
  /** Whether every number so far was read exactly. */
  isExact = true;

  constructor(
    readonly buffer: Buffer,
    public at: number,
  ) {}

  headers(): Headers {
    const headers: Headers = {};
    const count = this.varint();
    for (let index = 0; index < count; index++) {
      const length = this.varint();
      const name = this.buffer.toString('utf8', this.at, this.at + length);
      this.at += length;
      addHeader(headers, name, this.bytes());
    }
    return headers;
  }

  bytes(): Buffer | null {
    const length = this.varint();
    if (length === -1) return null;
    const start = this.at;
    this.at += length;
    return this.buffer.subarray(start, this.at);
  }

  varint(): number {
    let result = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.buffer[this.at++] ?? 0;
      result += (byte & SEVEN_BITS) << shift;
      if (byte < MORE) return (result >>> 1) ^ -(result & 1);
    }
  }

  varlong(): number {
    let result = 0;
    let factor = 1;
    for (let length = 1; ; length++) {
      const byte = this.buffer[this.at++] ?? 0;
      result += (byte & SEVEN_BITS) * factor;
      factor *= MORE;
      if (byte >= MORE) continue;
      if (length > EXACT_BYTES) this.isExact = false;
      return result % 2 === 0 ? result / 2 : -(result + 1) / 2;
    }
  }
}

/** Also names such as those of an object's own methods, which the driver's decoder mistakes for earlier headers. */
function addHeader(headers: Headers, name: string, value: Buffer | null): void {
  const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
  const now = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
  if (name === '__proto__') Object.defineProperty(headers, name, { ...PLAIN, value: now });
  else headers[name] = now;
}

const PLAIN = { enumerable: true, configurable: true, writable: true } as const;
