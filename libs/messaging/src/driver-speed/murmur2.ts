const SEED = 0x9747b28c;
const M = 0x5bd1e995;
const R = 24;

/** Kafka's key hash, as in its Java client: the same key goes to the same partition everywhere. */
export function murmur2(key: Uint8Array): number {
  const { length } = key;
  let hash = SEED ^ length;
  let index = 0;
  for (; index + 4 <= length; index += 4) {
    let word = Math.imul(littleEndian(key, index), M);
    word = Math.imul(word ^ (word >>> R), M);
    hash = Math.imul(hash, M) ^ word;
  }
  if (index < length) hash = Math.imul(hash ^ littleEndian(key, index), M);
  hash = Math.imul(hash ^ (hash >>> 13), M);
  return hash ^ (hash >>> 15);
}

/** Four bytes, or as many as are left. */
function littleEndian(bytes: Uint8Array, index: number): number {
  return (
    (bytes[index] ?? 0) |
    ((bytes[index + 1] ?? 0) << 8) |
    ((bytes[index + 2] ?? 0) << 16) |
    ((bytes[index + 3] ?? 0) << 24)
  );
}
