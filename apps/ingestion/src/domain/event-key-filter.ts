/** Positions per key: optimal for ten bits per key, and good from seven to twenty. */
export const POSITIONS_PER_KEY = 7;
/** Of a key in Postgres' binary format. */
export const KEY_BYTES = 16;

export const BITS_PER_BYTE = 8;
const BITS_PER_WORD = 32;
const TWO_TO_THE_32 = 2 ** 32;
/** Hex digits of an event id outside of its version and variant. */
const FIRST_HALF = [0, 8] as const;
const SECOND_HALF = [28, 36] as const;
const SECOND_HALF_OFFSET_BYTES = 12;

export interface FilterSize {
  /** Rows of the filter, with one bit per partition. */
  readonly positions: number;
  /** Maximum number of closed partitions. */
  readonly slots: number;
}

/** Number of positions that fit into the memory for so many partitions. */
export function filterSize(memoryBytes: number, slots: number): FilterSize {
  const rowWords = Math.ceil(slots / BITS_PER_WORD);
  const rowBytes = (rowWords * BITS_PER_WORD) / BITS_PER_BYTE;
  const positions = Math.floor(memoryBytes / rowBytes / BITS_PER_BYTE) * BITS_PER_BYTE;
  if (positions < BITS_PER_BYTE) throw new RangeError('The filter needs more memory for so many partitions.');
  return { positions, slots: rowWords * BITS_PER_WORD };
}

/**
 * One Bloom filter per closed partition, stored transposed: a row contains one bit per partition, so that a
 * key costs seven rows whatever the number of partitions, and the result is the set of partitions that may
 * contain it. No false negatives. A key is an event id, whose bits are uniformly distributed.
 */
export class EventKeyFilter {
  private readonly rows: Uint32Array;
  private readonly rowWords: number;

  constructor(readonly size: FilterSize) {
    this.rowWords = size.slots / BITS_PER_WORD;
    this.rows = new Uint32Array(size.positions * this.rowWords);
  }

  /** Appends the slots whose partition may contain the key to `slots`. */
  candidates(eventId: string, slots: number[]): void {
    const { rows, rowWords } = this;
    const { positions } = this.size;
    const start = Number.parseInt(eventId.slice(...FIRST_HALF), 16);
    const step = Number.parseInt(eventId.slice(...SECOND_HALF), 16) | 1;
    for (let word = 0; word < rowWords; word += 1) {
      let bits = rows[position(start, positions) * rowWords + word] ?? 0;
      for (let index = 1; index < POSITIONS_PER_KEY && bits !== 0; index += 1) {
        bits &= rows[position(start + index * step, positions) * rowWords + word] ?? 0;
      }
      for (; bits !== 0; bits &= bits - 1) slots.push(word * BITS_PER_WORD + lowestBit(bits));
    }
  }

  /** Loads a part of a partition's own filter, `bits` from its byte `offset` on, into a cleared slot. */
  load(slot: number, bits: Uint8Array, offset: number): void {
    const { rows, rowWords } = this;
    const column = Math.floor(slot / BITS_PER_WORD);
    const mask = 1 << (slot % BITS_PER_WORD);
    for (let index = 0; index < bits.length; index += 1) {
      const firstRow = (offset + index) * BITS_PER_BYTE;
      for (let rest = bits[index] ?? 0; rest !== 0; rest &= rest - 1) {
        const cell = (firstRow + lowestBit(rest)) * rowWords + column;
        rows[cell] = (rows[cell] ?? 0) | mask;
      }
    }
  }

  /**
   * Clears a slot's bits in the rows from `from` (inclusive) to `to` (exclusive), before another partition
   * uses it.
   */
  clear(slot: number, from: number, to: number): void {
    const { rows, rowWords } = this;
    const column = Math.floor(slot / BITS_PER_WORD);
    const keep = ~(1 << (slot % BITS_PER_WORD));
    for (let row = from; row < Math.min(to, this.size.positions); row += 1) {
      const cell = row * rowWords + column;
      rows[cell] = (rows[cell] ?? 0) & keep;
    }
  }
}

/** Number of the lowest set bit. */
function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

/** A partition's own filter as stored beside the partition: one bit per position. */
export function emptyBits(positions: number): Uint8Array {
  return new Uint8Array(positions / BITS_PER_BYTE);
}

/** Adds keys of 16 bytes each to a partition's own filter. */
export function addKeys(bits: Uint8Array, keys: Buffer): void {
  const positions = bits.length * BITS_PER_BYTE;
  for (let offset = 0; offset + KEY_BYTES <= keys.length; offset += KEY_BYTES) {
    const start = keys.readUInt32BE(offset);
    const step = keys.readInt32BE(offset + SECOND_HALF_OFFSET_BYTES) | 1;
    for (let index = 0; index < POSITIONS_PER_KEY; index += 1) {
      const bit = position(start + index * step, positions);
      bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (1 << (bit & 7));
    }
  }
}

/** Distributes 32 bits evenly over the positions, without a division. */
function position(hash: number, positions: number): number {
  return Math.floor(((hash >>> 0) / TWO_TO_THE_32) * positions);
}

/** 2 MiB: some hundred thousand ids, the last ones of each place. */
const RECENT_PLACES = 2 ** 19;
const HEX = 16;
const DIGITS = 8;
const EMPTY = 0;

/**
 * Ids of events that this process stored lately. An id that is known may have been stored; one that is not may have
 * been as well: newer ids take the places of older ones. Ids are UUIDs whose digits are a digest's.
 */
export class RecentIds {
  private readonly prints = new Uint32Array(RECENT_PLACES);

  has(eventId: string): boolean {
    return this.prints[recentPlaceOf(eventId)] === printOf(eventId);
  }

  add(eventId: string): void {
    this.prints[recentPlaceOf(eventId)] = printOf(eventId);
  }
}

function recentPlaceOf(eventId: string): number {
  return Number.parseInt(eventId.slice(0, DIGITS), HEX) % RECENT_PLACES;
}

function printOf(eventId: string): number {
  const print = Number.parseInt(eventId.slice(-DIGITS), HEX);
  return print === EMPTY ? 1 : print;
}
