import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Indexes of offsets and times of a Kafka log: sparse files without content. */
const INDEXES = /\.(?:index|timeindex)$/;
const WORD_BYTES = 4;
/** Spreads words over a table of 65,536 marks. */
const SPREAD = 0x9e3779b1;
const MARKS = 65_536;
const MARK_SHIFT = 16;

/** Every file below these paths that contains one of the texts in any encoding. */
export function filesThatHold(paths: readonly string[], texts: readonly string[]): readonly string[] {
  const isIn = finderOf(texts.flatMap(formsOf));
  return paths.flatMap(filesBelow).filter((file) => holds(file, isIn));
}

/** Plain, as base64 at each of the three alignments, and as hexadecimal digits. */
export function formsOf(text: string): readonly Buffer[] {
  const hex = Buffer.from(text).toString('hex');
  const base64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.from('\0'.repeat(shift) + text).toString('base64');
    // Without the characters that depend on adjacent bytes.
    return encoded.slice(shift === 0 ? 0 : shift + 1).replace(/.=*$/, '');
  });
  return [text, hex, hex.toUpperCase(), ...base64].map((form) => Buffer.from(form));
}

function filesBelow(path: string): readonly string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || INDEXES.test(path)) return [];
  if (!stats.isDirectory()) return stats.isFile() ? [path] : [];
  return readdirSync(path).flatMap((name) => filesBelow(join(path, name)));
}

function holds(file: string, isIn: (content: Buffer) => boolean): boolean {
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch {
    // Both servers remove files at any time.
    return false;
  }
  return isIn(content);
}

/**
 * Finds any of many texts in one pass, which looks at a few words of four bytes only: wherever a text is, it covers one of
 * them. Some hundred megabytes are searched for some hundred texts, again and again.
 */
function finderOf(needles: readonly Buffer[]): (content: Buffer) => boolean {
  const shortest = Math.min(...needles.map(({ length }) => length));
  const stride = Math.floor((shortest - WORD_BYTES + 1) / WORD_BYTES);
  if (stride < 1) throw new Error('A text is too short to be searched for.');
  const marks = new Uint8Array(MARKS);
  const places = new Map<number, { readonly needle: Buffer; readonly offset: number }[]>();
  for (const needle of needles) {
    for (let offset = 0; offset < stride * WORD_BYTES; offset += 1) {
      const word = needle.readUInt32LE(offset);
      marks[Math.imul(word, SPREAD) >>> MARK_SHIFT] = 1;
      places.set(word, [...(places.get(word) ?? []), { needle, offset }]);
    }
  }
  const isAt = (content: Buffer, needle: Buffer, start: number): boolean =>
    start >= 0 && content.subarray(start, start + needle.length).equals(needle);
  return (content) => {
    const words = new Uint32Array(
      content.buffer,
      content.byteOffset,
      Math.floor(content.length / WORD_BYTES),
    );
    for (let index = 0; index < words.length; index += stride) {
      const word = words[index] ?? 0;
      if (marks[Math.imul(word, SPREAD) >>> MARK_SHIFT] === 0) continue;
      const found = places
        .get(word)
        ?.some(({ needle, offset }) => isAt(content, needle, index * WORD_BYTES - offset));
      if (found === true) return true;
    }
    return false;
  };
}
