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
  private bytes = Buffer.allocUnsafe(65_536);
  private end = HEADER_BYTES;

  /** @param columns how many follow */
  constructor(private readonly columns: number) {
    this.bytes.fill(0, 0, HEADER_BYTES);
    SIGNATURE.copy(this.bytes);
  }

  get isEmpty(): boolean {
    return this.end === HEADER_BYTES;
  }

  row(): this {
    this.makeRoom(2);
    this.end = this.bytes.writeInt16BE(this.columns, this.end);
    return this;
  }

  /** @throws RangeError for a text that is none */
  uuid(text: string): this {
    this.begin(UUID_BYTES);
    writeUuid(this.bytes, this.end, text);
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
    const high = Math.floor(value / WORD);
    this.end = this.bytes.writeInt32BE(high, this.end);
    this.end = this.bytes.writeUInt32BE(value - high * WORD, this.end);
    return this;
  }

  integer(value: number): this {
    this.begin(4);
    this.end = this.bytes.writeInt32BE(value, this.end);
    return this;
  }

  boolean(value: boolean): this {
    this.begin(1);
    this.bytes[this.end++] = value ? 1 : 0;
    return this;
  }

  text(value: string | null): this {
    if (value === null) {
      this.makeRoom(LENGTH_BYTES);
      this.end = this.bytes.writeInt32BE(NULL, this.end);
      return this;
    }
    this.makeRoom(LENGTH_BYTES + value.length * MOST_BYTES_OF_UNIT);
    const length = this.bytes.write(value, this.end + LENGTH_BYTES);
    this.bytes.writeInt32BE(length, this.end);
    this.end += LENGTH_BYTES + length;
    return this;
  }

  textArray(values: readonly string[] | null): this {
    if (values === null) return this.text(null);
    this.makeRoom(LENGTH_BYTES + ARRAY_HEADER_BYTES);
    const start = this.end + LENGTH_BYTES;
    this.end = writeArrayHeader(this.bytes, start, TEXT_TYPE, values.length);
    for (const value of values) this.text(value);
    this.bytes.writeInt32BE(this.end - start, start - LENGTH_BYTES);
    return this;
  }

  /** All of them; nothing may follow. */
  finish(): Buffer {
    this.makeRoom(2);
    return this.bytes.subarray(0, this.bytes.writeInt16BE(END, this.end));
  }

  private begin(length: number): void {
    this.makeRoom(LENGTH_BYTES + length);
    this.end = this.bytes.writeInt32BE(length, this.end);
  }

  private makeRoom(more: number): void {
    if (this.end + more <= this.bytes.length) return;
    const grown = Buffer.allocUnsafe(2 * (this.bytes.length + more));
    this.bytes.copy(grown, 0, 0, this.end);
    this.bytes = grown;
  }
}

/**
 * A parameter `$1::uuid[]` in the binary format, which Postgres need not parse.
 * @throws RangeError for a text that is none
 */
export function uuidArray(texts: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafe(ARRAY_HEADER_BYTES + texts.length * (LENGTH_BYTES + UUID_BYTES));
  let end = writeArrayHeader(bytes, 0, UUID_TYPE, texts.length);
  for (const text of texts) {
    end = bytes.writeInt32BE(UUID_BYTES, end);
    writeUuid(bytes, end, text);
    end += UUID_BYTES;
  }
  return bytes.subarray(0, end);
}

/** Dimensions, whether any element is null, their type, and of the one dimension its length and lower bound. */
const ARRAY_HEADER_BYTES = 20;
const UUID_TYPE = 2_950;
const TEXT_TYPE = 25;

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
function writeUuid(bytes: Buffer, at: number, text: string): void {
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
