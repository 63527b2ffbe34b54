const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
/** Flags and the length of an extension, both zero. */
const HEADER_BYTES = SIGNATURE.length + 8;
const LENGTH_BYTES = 4;
const UUID_BYTES = 16;
const UUID_DIGITS = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
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
    if (!UUID_DIGITS.test(text)) throw new RangeError(`Not a UUID: ${text}`);
    this.begin(UUID_BYTES);
    for (let at = 0; at < text.length; at += 2) {
      if (text.charCodeAt(at) === DASH) at += 1;
      this.bytes[this.end++] = (digitAt(text, at) << 4) | digitAt(text, at + 1);
    }
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

const DASH = 0x2d;
const ZERO = 0x30;
const LETTERS = 0x40;

/** Of a hexadecimal digit, whatever its case. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < LETTERS ? code - ZERO : (code & 0xf) + 9;
}
