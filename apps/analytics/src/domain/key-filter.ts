/**
 * A filter of keys that are hashes of 16 bytes: whether one may be in a block is asked without reading the block's keys. Of
 * a thousand keys that are not in it at most seven seem to be.
 */
const KEY_BYTES = 16;
/** Bits of a key, which each is a place in the filter. They leave out those that every UUID has in common. */
const WORDS_AT = [0, 4, 10, 12] as const;
const BITS_PER_KEY = 12;
const LEAST_BYTES = 8;

/** @param lists of keys, one after the other */
export function keyFilter(...lists: readonly Buffer[]): Buffer {
  const keys = lists.reduce((sum, { length }) => sum + length, 0) / KEY_BYTES;
  let bytes = LEAST_BYTES;
  // Terminates: it doubles until it is large enough. A power of two, so that a place is a part of a key.
  while (bytes * 8 < keys * BITS_PER_KEY) bytes *= 2;
  const filter = Buffer.alloc(bytes);
  const mask = bytes * 8 - 1;
  for (const list of lists) {
    for (let key = 0; key < list.length; key += KEY_BYTES) {
      for (const at of WORDS_AT) {
        const place = list.readUInt32LE(key + at) & mask;
        filter[place >> 3] = (filter[place >> 3] ?? 0) | (1 << (place & 7));
      }
    }
  }
  return filter;
}

/** Places of keys that any of the filters may have. */
export function seemingIn(filters: readonly Buffer[], keys: Buffer): ReadonlySet<number> {
  const found = new Set<number>();
  for (const filter of filters) {
    const mask = filter.length * 8 - 1;
    for (let key = 0; key < keys.length; key += KEY_BYTES) {
      let isSet = true;
      for (let word = 0; isSet && word < WORDS_AT.length; word += 1) {
        const place = keys.readUInt32LE(key + (WORDS_AT[word] ?? 0)) & mask;
        isSet = (((filter[place >> 3] ?? 0) >> (place & 7)) & 1) === 1;
      }
      if (isSet) found.add(key / KEY_BYTES);
    }
  }
  return found;
}

/** The words of each key: for a statement that asks a filter, the first of all, then the second, and so on. */
export function filterWords(keys: Buffer): readonly (readonly number[])[] {
  return WORDS_AT.map((at) =>
    Array.from({ length: keys.length / KEY_BYTES }, (_, key) => keys.readUInt32LE(key * KEY_BYTES + at)),
  );
}

/** Whether a filter may have any of the keys whose words are four parameters from this one. */
export function mayHave(filter: string, first: number): string {
  const lists = WORDS_AT.map((_, index) => `$${first + index}::bigint[]`).join(', ');
  const names = WORDS_AT.map((_, index) => `word${index}`);
  const isSet = (name: string): string =>
    `get_bit(read.bits, key.${name} & (8 * octet_length(read.bits) - 1)) = 1`;
  // Read once, not for each bit.
  return `exists (select from (select ${filter} || ''::bytea as bits offset 0) read, unnest(${lists}) as key (${names.join(', ')})
    where ${names.map(isSet).join(' and ')})`;
}
