/** Castagnoli's polynomial, reversed. */
const POLYNOMIAL = 0x82f63b78;
const SLICES = 8;
const TABLE = makeTable();

/** CRC-32C, eight bytes per step. @returns an unsigned 32-bit number */
export function crc32c(bytes: Uint8Array): number {
  const table = TABLE;
  const { length } = bytes;
  let crc = -1;
  let index = 0;
  for (; index + SLICES <= length; index += SLICES) {
    const low =
      crc ^
      ((bytes[index] ?? 0) |
        ((bytes[index + 1] ?? 0) << 8) |
        ((bytes[index + 2] ?? 0) << 16) |
        ((bytes[index + 3] ?? 0) << 24));
    crc =
      (table[0x700 | (low & 0xff)] ?? 0) ^
      (table[0x600 | ((low >>> 8) & 0xff)] ?? 0) ^
      (table[0x500 | ((low >>> 16) & 0xff)] ?? 0) ^
      (table[0x400 | (low >>> 24)] ?? 0) ^
      (table[0x300 | (bytes[index + 4] ?? 0)] ?? 0) ^
      (table[0x200 | (bytes[index + 5] ?? 0)] ?? 0) ^
      (table[0x100 | (bytes[index + 6] ?? 0)] ?? 0) ^
      (table[bytes[index + 7] ?? 0] ?? 0);
  }
  for (; index < length; index += 1) {
    crc = (table[(crc ^ (bytes[index] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}

/** Eight tables in one: table n is the effect of a byte on the remainder n bytes later. */
function makeTable(): Int32Array {
  const table = new Int32Array(SLICES * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    table[byte] = crc;
  }
  for (let index = 256; index < table.length; index += 1) {
    const before = table[index - 256] ?? 0;
    table[index] = (before >>> 8) ^ (table[before & 0xff] ?? 0);
  }
  return table;
}
