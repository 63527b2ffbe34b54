import { readdirSync, readFileSync } from 'node:fs';
import { BASE_TOUCH } from './touch-page.js';

type Members = Readonly<Record<string, unknown>>;

/** One case of a golden file: how the touch differs from an ordinary one, and the expected outcome. */
export interface GoldenTouch {
  readonly says: string;
  readonly touch?: Members;
  /** Fields that are removed. */
  readonly absent?: readonly string[];
  /** Fields after normalisation. */
  readonly stored?: Members;
  /** The click value to seal. */
  readonly click?: string | null;
  /** For a refused touch: all of its details. */
  readonly details?: Readonly<Record<string, readonly string[]>>;
}

/** Every case under `test/<kind>`, named by its file and description. */
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

/** `{"$repeat": ["x", 128]}` means 128 times the text, `{"$concat": […]}` its parts joined. */
function expand(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(expand);
  if ('$repeat' in value && Array.isArray(value.$repeat)) {
    return String(value.$repeat[0]).repeat(Number(value.$repeat[1]));
  }
  if ('$concat' in value && Array.isArray(value.$concat)) return value.$concat.map(expand).join('');
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, expand(member)]));
}
