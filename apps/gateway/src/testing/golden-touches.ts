import { readdirSync, readFileSync } from 'node:fs';
import { BASE_TOUCH } from './touch-page.js';

type Members = Readonly<Record<string, unknown>>;

/** One case of a golden file: how the touch differs from an ordinary one, and what becomes of it. */
export interface GoldenTouch {
  readonly says: string;
  readonly touch?: Members;
  /** Fields taken away. */
  readonly absent?: readonly string[];
  /** Fields as they are after normalisation. */
  readonly stored?: Members;
  /** The click value that is to be sealed. */
  readonly click?: string | null;
  /** For a touch that is refused: all of its details. */
  readonly details?: Readonly<Record<string, readonly string[]>>;
}

/** Every case under `test/<kind>`, named by its file and what it says. */
export function goldenTouches(kind: 'ok' | 'not-ok'): readonly [name: string, golden: GoldenTouch][] {
  const folder = new URL(`../partner-attribution/touches/test/${kind}/`, import.meta.url);
  return readdirSync(folder).flatMap((file) => {
    const cases = expand(JSON.parse(readFileSync(new URL(file, folder), 'utf8'))) as readonly GoldenTouch[];
    return cases.map((golden) => [`${file.replace('.json', '')}: ${golden.says}`, golden] as const);
  }) as [string, GoldenTouch][];
}

/** The case's touch, as a client would send it. */
export function touchOf({ touch, absent }: GoldenTouch): Members {
  const members = Object.entries({ ...BASE_TOUCH, ...touch });
  return Object.fromEntries(members.filter(([name]) => !(absent ?? []).includes(name)));
}

/** `{"$repeat": ["x", 128]}` stands for 128 times the text, `{"$concat": […]}` for its parts in a row. */
function expand(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(expand);
  if ('$repeat' in value && Array.isArray(value.$repeat)) {
    return String(value.$repeat[0]).repeat(Number(value.$repeat[1]));
  }
  if ('$concat' in value && Array.isArray(value.$concat)) return value.$concat.map(expand).join('');
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, expand(member)]));
}
