const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
/** Flags and the length of an extension, both zero. */
const HEADER_BYTES = SIGNATURE.length + 8;
const LENGTH_BYTES = 4;
const UUID_BYTES = 16;
const END = -1;
const NULL = -1;
const WORD = 2 ** 32;
const MICROS_UNTIL_2000 = 946_684_800_000_000;
/** Of one UTF-16 unit in UTF-8. */
const MOST_BYTES_OF_UNIT = 3;

/**
 * Rows in the binary format of `copy … from stdin with (format binary)`: Postgres reads ids and times without parsing
 * them. Each row begins with `row`, and names its columns in their order.
 */
export class BinaryRows {
  private buffer = Buffer.allocUnsafe(65_536);
  private end = HEADER_BYTES;

  /** @param columns how many follow */
  constructor(private readonly columns: number) {
    this.buffer.fill(0, 0, HEADER_BYTES);
    SIGNATURE.copy(this.buffer);
  }

  get isEmpty(): boolean {
    return this.end === HEADER_BYTES;
  }

  row(): this {
    this.makeRoom(2);
    this.end = this.buffer.writeInt16BE(this.columns, this.end);
    return this;
  }

  /** @throws RangeError for a text that is none */
  uuid(text: string): this {
    this.begin(UUID_BYTES);
    writeUuid(this.buffer, this.end, text);
    this.end += UUID_BYTES;
    return this;
  }

  /** @param ids of `uuidBytes` */
  uuidAt(ids: Buffer, index: number): this {
    this.begin(UUID_BYTES);
    copyUuid(ids, index, this.buffer, this.end);
    this.end += UUID_BYTES;
    return this;
  }

  /** @param micros since 1970, a whole number */
  timestamp(micros: number): this {
    return this.bigint(micros - MICROS_UNTIL_2000);
  }

  /** @param value a whole number that JavaScript holds exactly */
  bigint(value: number): this {
    this.begin(8);
    this.end = writeBigint(this.buffer, this.end, value);
    return this;
  }

  smallint(value: number | null): this {
    if (value === null) return this.text(null);
    this.begin(2);
    this.end = this.buffer.writeInt16BE(value, this.end);
    return this;
  }

  integer(value: number): this {
    this.begin(4);
    this.end = this.buffer.writeInt32BE(value, this.end);
    return this;
  }

  boolean(value: boolean): this {
    this.begin(1);
    this.buffer[this.end++] = value ? 1 : 0;
    return this;
  }

  text(value: string | null): this {
    if (value === null) {
      this.makeRoom(LENGTH_BYTES);
      this.end = this.buffer.writeInt32BE(NULL, this.end);
      return this;
    }
    this.makeRoom(LENGTH_BYTES + value.length * MOST_BYTES_OF_UNIT);
    const length = this.buffer.write(value, this.end + LENGTH_BYTES);
    this.buffer.writeInt32BE(length, this.end);
    this.end += LENGTH_BYTES + length;
    return this;
  }

  textArray(values: readonly (string | null)[] | null): this {
    if (values === null) return this.text(null);
    this.makeRoom(LENGTH_BYTES + ARRAY_HEADER_BYTES);
    const start = this.end + LENGTH_BYTES;
    this.end = writeArrayHeader(this.buffer, start, TEXT_TYPE, values.length);
    for (const value of values) this.text(value);
    this.buffer.writeInt32BE(this.end - start, start - LENGTH_BYTES);
    return this;
  }

  bytes(value: Buffer): this {
    this.begin(value.length);
    this.end += value.copy(this.buffer, this.end);
    return this;
  }

  /** @param ids of `uuidBytes` */
  uuids(ids: Buffer): this {
    return this.array(UUID_TYPE, ids.length / UUID_BYTES, UUID_BYTES, (index, at) => {
      copyUuid(ids, index, this.buffer, at);
    });
  }

  /** @param micros since 1970, whole numbers */
  timestamps(micros: ArrayLike<number>): this {
    return this.array(TIMESTAMP_TYPE, micros.length, 8, (index, at) => {
      writeBigint(this.buffer, at, (micros[index] ?? 0) - MICROS_UNTIL_2000);
    });
  }

  /** @param values whole numbers that JavaScript holds exactly */
  bigints(values: ArrayLike<number>): this {
    return this.array(BIGINT_TYPE, values.length, 8, (index, at) => {
      writeBigint(this.buffer, at, values[index] ?? 0);
    });
  }

  smallints(values: ArrayLike<number>): this {
    return this.array(SMALLINT_TYPE, values.length, 2, (index, at) => {
      this.buffer.writeInt16BE(values[index] ?? 0, at);
    });
  }

  /** All of them; nothing may follow. */
  finish(): Buffer {
    this.makeRoom(2);
    return this.buffer.subarray(0, this.buffer.writeInt16BE(END, this.end));
  }

  /** Of elements of one size, none of which is null. */
  private array(
    type: number,
    length: number,
    size: number,
    write: (index: number, at: number) => void,
  ): this {
    this.makeRoom(LENGTH_BYTES + ARRAY_HEADER_BYTES + length * (LENGTH_BYTES + size));
    const start = this.end + LENGTH_BYTES;
    let end = writeArrayHeader(this.buffer, start, type, length);
    for (let index = 0; index < length; index += 1) {
      write(index, this.buffer.writeInt32BE(size, end));
      end += LENGTH_BYTES + size;
    }
    this.buffer.writeInt32BE(end - start, start - LENGTH_BYTES);
    this.end = end;
    return this;
  }

  private begin(length: number): void {
    this.makeRoom(LENGTH_BYTES + length);
    this.end = this.buffer.writeInt32BE(length, this.end);
  }

  private makeRoom(more: number): void {
    if (this.end + more <= this.buffer.length) return;
    const grown = Buffer.allocUnsafe(2 * (this.buffer.length + more));
    this.buffer.copy(grown, 0, 0, this.end);
    this.buffer = grown;
  }
}

/**
 * A parameter `$1::uuid[]` in the binary format, which Postgres need not parse.
 * @param given texts, or ids of `uuidBytes`
 * @throws RangeError for a text that is none
 */
export function uuidArray(given: Buffer | readonly string[]): Buffer {
  const ids = Buffer.isBuffer(given) ? given : uuidBytes(given);
  const length = ids.length / UUID_BYTES;
  const bytes = Buffer.allocUnsafe(ARRAY_HEADER_BYTES + length * (LENGTH_BYTES + UUID_BYTES));
  let end = writeArrayHeader(bytes, 0, UUID_TYPE, length);
  for (let index = 0; index < length; index += 1) {
    end = bytes.writeInt32BE(UUID_BYTES, end);
    copyUuid(ids, index, bytes, end);
    end += UUID_BYTES;
  }
  return bytes.subarray(0, end);
}

/** A parameter `$1::float8[]` in the binary format: each number is the same there, and none is written as digits. */
export function floatArray(numbers: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(ARRAY_HEADER_BYTES + numbers.length * (LENGTH_BYTES + 8));
  let end = writeArrayHeader(bytes, 0, FLOAT_TYPE, numbers.length);
  for (const number of numbers) end = bytes.writeDoubleBE(number, bytes.writeInt32BE(8, end));
  return bytes.subarray(0, end);
}

/** @param sent `array_send` of a `float8[]` without nulls */
export function floatsOf(sent: Buffer): Float64Array {
  const numbers = new Float64Array(Math.max(0, sent.length - ARRAY_HEADER_BYTES) / (LENGTH_BYTES + 8));
  for (let index = 0; index < numbers.length; index += 1)
    numbers[index] = sent.readDoubleBE(ARRAY_HEADER_BYTES + LENGTH_BYTES + index * (LENGTH_BYTES + 8));
  return numbers;
}

/** Dimensions, whether any element is null, their type, and of the one dimension its length and lower bound. */
const ARRAY_HEADER_BYTES = 20;
const UUID_TYPE = 2_950;
const TEXT_TYPE = 25;
const TIMESTAMP_TYPE = 1_184;
const BIGINT_TYPE = 20;
const FLOAT_TYPE = 701;
const SMALLINT_TYPE = 21;

function writeBigint(bytes: Buffer, at: number, value: number): number {
  const high = Math.floor(value / WORD);
  return bytes.writeUInt32BE(value - high * WORD, bytes.writeInt32BE(high, at));
}

/**
 * Ids one after the other, 16 bytes each.
 * @throws RangeError for a text that is none
 */
export function uuidBytes(texts: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafe(texts.length * UUID_BYTES);
  texts.forEach((text, index) => {
    writeUuid(bytes, index * UUID_BYTES, text);
  });
  return bytes;
}

/** A call of `copy` takes longer than this. */
function copyUuid(ids: Buffer, index: number, into: Buffer, at: number): void {
  const from = index * UUID_BYTES;
  for (let byte = 0; byte < UUID_BYTES; byte += 1) into[at + byte] = ids[from + byte] ?? 0;
}

/** An array without elements has no dimension. */
function writeArrayHeader(bytes: Buffer, at: number, type: number, length: number): number {
  let end = bytes.writeInt32BE(length === 0 ? 0 : 1, at);
  end = bytes.writeInt32BE(0, end);
  end = bytes.writeInt32BE(type, end);
  if (length === 0) return end;
  end = bytes.writeInt32BE(length, end);
  return bytes.writeInt32BE(1, end);
}

/** @throws RangeError for a text that is none */
export function writeUuid(bytes: Buffer, at: number, text: string): void {
  let isHexadecimal = text.length === UUID_CHARACTERS;
  for (const place of DASHES) isHexadecimal &&= text.charCodeAt(place) === DASH;
  let found = 0;
  for (let byte = 0; byte < UUID_BYTES; byte += 1) {
    const place = DIGITS[byte] ?? 0;
    const value = (digitOf(text.charCodeAt(place)) << 4) | digitOf(text.charCodeAt(place + 1));
    found |= value;
    bytes[at + byte] = value;
  }
  if (!isHexadecimal || found < 0) throw new RangeError(`Not a UUID: ${text}`);
}

const UUID_CHARACTERS = 36;
const DASHES = [8, 13, 18, 23];
/** Where the two digits of each byte begin. */
const DIGITS = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const DASH = 0x2d;
/** By its code; negative for what is no digit. */
const VALUES = Int8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? -1 : value;
});

function digitOf(code: number): number {
  return VALUES[code] ?? -1;
}
