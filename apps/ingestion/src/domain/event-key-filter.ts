/** Positions that one key sets: the best number for ten bits per key, and good from seven to twenty. */
export const POSITIONS_PER_KEY = 7;
/** Of a key as Postgres sends it. */
export const KEY_BYTES = 16;

export const BITS_PER_BYTE = 8;
const TWO_TO_THE_32 = 2 ** 32;
/** Hex digits of an event id that its version and variant leave free. */
const FIRST_HALF = [0, 8] as const;
const SECOND_HALF = [28, 36] as const;
const SECOND_HALF_OFFSET_BYTES = 12;

export interface FilterSize {
  /** Rows of the filter: each partition has one bit in each. */
  readonly positions: number;
  /** Closed partitions that it can hold at once. */
  readonly slots: number;
}

/** As many positions as the memory holds for so many partitions. */
export function filterSize(memoryBytes: number, slots: number): FilterSize {
  const rowBytes = Math.ceil(slots / BITS_PER_BYTE);
  const positions = Math.floor(memoryBytes / rowBytes / BITS_PER_BYTE) * BITS_PER_BYTE;
  if (positions < BITS_PER_BYTE) throw new RangeError('The filter needs more memory for so many partitions.');
  return { positions, slots: rowBytes * BITS_PER_BYTE };
}

/**
 * One Bloom filter per closed partition, all of them turned on their side: a row holds one bit per partition, so that
 * a key costs seven rows whatever the number of partitions, and the answer is the partitions that may hold it.
 * It never says no to a key that was added. A key is an event id, whose bits are uniform already.
 */
export class EventKeyFilter {
  private readonly rows: Uint8Array;
  private readonly rowBytes: number;

  constructor(readonly size: FilterSize) {
    this.rowBytes = Math.ceil(size.slots / BITS_PER_BYTE);
    this.rows = new Uint8Array(size.positions * this.rowBytes);
  }

  /** The slots whose partition may hold the key, appended to `slots`. */
  candidates(eventId: string, slots: number[]): void {
    const { rows, rowBytes } = this;
    const { positions } = this.size;
    const start = Number.parseInt(eventId.slice(...FIRST_HALF), 16);
    const step = Number.parseInt(eventId.slice(...SECOND_HALF), 16) | 1;
    const first = position(start, positions) * rowBytes;
    const second = position(start + step, positions) * rowBytes;
    const third = position(start + 2 * step, positions) * rowBytes;
    const fourth = position(start + 3 * step, positions) * rowBytes;
    const fifth = position(start + 4 * step, positions) * rowBytes;
    const sixth = position(start + 5 * step, positions) * rowBytes;
    const seventh = position(start + 6 * step, positions) * rowBytes;
    for (let byte = 0; byte < rowBytes; byte += 1) {
      let bits =
        (rows[first + byte] ?? 0) &
        (rows[second + byte] ?? 0) &
        (rows[third + byte] ?? 0) &
        (rows[fourth + byte] ?? 0) &
        (rows[fifth + byte] ?? 0) &
        (rows[sixth + byte] ?? 0) &
        (rows[seventh + byte] ?? 0);
      for (; bits !== 0; bits &= bits - 1) slots.push(byte * BITS_PER_BYTE + 31 - Math.clz32(bits & -bits));
    }
  }

  /** Takes a part of a partition's own filter, `bits` from its byte `offset` on, into a slot that is clear. */
  load(slot: number, bits: Uint8Array, offset: number): void {
    const column = slot >> 3;
    const mask = 1 << (slot & 7);
    for (let index = 0; index < bits.length; index += 1) {
      const firstRow = (offset + index) * BITS_PER_BYTE;
      for (let rest = bits[index] ?? 0; rest !== 0; rest &= rest - 1) {
        const row = firstRow + 31 - Math.clz32(rest & -rest);
        this.rows[row * this.rowBytes + column] = (this.rows[row * this.rowBytes + column] ?? 0) | mask;
      }
    }
  }

  /** Clears a slot's bits in the rows from `from` to below `to`, before another partition takes it. */
  clear(slot: number, from: number, to: number): void {
    const column = slot >> 3;
    const keep = ~(1 << (slot & 7));
    for (let row = from; row < Math.min(to, this.size.positions); row += 1) {
      this.rows[row * this.rowBytes + column] = (this.rows[row * this.rowBytes + column] ?? 0) & keep;
    }
  }
}

/** A partition's own filter, as it is kept beside the partition: one bit per position. */
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

/** Spreads 32 bits evenly over the positions, without a division. */
function position(hash: number, positions: number): number {
  return Math.floor(((hash >>> 0) / TWO_TO_THE_32) * positions);
}
