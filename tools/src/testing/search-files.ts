import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Offsets and times of a Kafka log, no content, in files that are mostly holes. */
const INDEXES = /\.(?:index|timeindex)$/;

/** Every file below these paths, as far as it is there at this moment, that holds one of the texts in any form. */
export function filesThatHold(paths: readonly string[], texts: readonly string[]): readonly string[] {
  const needles = texts.flatMap(formsOf);
  return paths.flatMap(filesBelow).filter((file) => holds(file, needles));
}

/** As it is, as base64 wherever it begins in a group of three bytes, and as hexadecimal digits. */
export function formsOf(text: string): readonly Buffer[] {
  const hex = Buffer.from(text).toString('hex');
  const base64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.from('\0'.repeat(shift) + text).toString('base64');
    // Without the characters that depend on the neighbours.
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
    // Removed meanwhile, as both servers do.
    return false;
  }
  return needles.some((needle) => content.includes(needle));
}
