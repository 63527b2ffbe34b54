import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Indexes of offsets and times of a Kafka log: sparse files without content. */
const INDEXES = /\.(?:index|timeindex)$/;

/** Every file below these paths that contains one of the texts in any encoding. */
export function filesThatHold(paths: readonly string[], texts: readonly string[]): readonly string[] {
  const needles = texts.flatMap(formsOf);
  return paths.flatMap(filesBelow).filter((file) => holds(file, needles));
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

function holds(file: string, needles: readonly Buffer[]): boolean {
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch {
    // Both servers remove files at any time.
    return false;
  }
  return needles.some((needle) => content.includes(needle));
}
