import { readdirSync, readFileSync } from 'node:fs';
import { isRawNumber, readJson } from '@truetally/kernel';

type Members = Readonly<Record<string, unknown>>;

/** One case of a golden file: how a body differs from an ordinary one, and the expected outcome. */
export interface GoldenCase {
  readonly says: string;
  /** A key of `base.json`. */
  readonly base: string;
  /** Paths to new values. */
  readonly set?: Members;
  /** Paths that are removed. */
  readonly absent?: readonly string[];
  /** For an accepted body: what the result must contain, by path. */
  readonly sent?: Members;
  /** For a body that is refused: all of its details. */
  readonly details?: Readonly<Record<string, readonly string[]>>;
}

/** Golden files of one folder: `base.json` with whole bodies, and cases under `ok` and `not-ok`. */
export class GoldenFolder {
  constructor(private readonly folder: URL) {}

  /** Every case of a kind, named by its file and its description. */
  cases(kind: 'ok' | 'not-ok'): [name: string, golden: GoldenCase][] {
    const folder = new URL(`${kind}/`, this.folder);
    return readdirSync(folder).flatMap((file) => {
      const cases = expand(readExactly(new URL(file, folder))) as readonly GoldenCase[];
      return cases.map((golden): [string, GoldenCase] => [
        `${file.replace('.json', '')}: ${golden.says}`,
        golden,
      ]);
    });
  }

  /** The text of a case's body as a client would send it, with numbers spelt as in the file. */
  text({ base, set, absent }: Pick<GoldenCase, 'absent' | 'base' | 'set'>): string {
    const bodies = readExactly(new URL('base.json', this.folder)) as Record<string, unknown>;
    const root = { body: structuredCopy(bodies[base]) };
    for (const [path, value] of Object.entries(set ?? {})) at(root, path)[lastOf(path)] = value;
    for (const path of absent ?? []) Reflect.deleteProperty(at(root, path), lastOf(path));
    return JSON.stringify(root.body);
  }
}

/** The value at a path: `lines.0.4`. */
export function valueAt(root: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Members | undefined)?.[name], root);
}

function readExactly(file: URL): unknown {
  const reading = readJson(readFileSync(file, 'utf8'));
  if (!reading.ok) throw new Error(`${file.pathname} ${reading.error.message}`);
  return reading.value.value;
}

/** The object or array that contains the last name of a path below `body`. */
function at(root: { body: unknown }, path: string): Record<string, unknown> {
  const names = ['body', ...path.split('.')].slice(0, path === 'body' ? 0 : -1);
  return (path === 'body' ? root : valueAt(root, names.join('.'))) as Record<string, unknown>;
}

function lastOf(path: string): string {
  return path.split('.').at(-1) ?? '';
}

function structuredCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  if (Array.isArray(value)) return value.map(structuredCopy);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, structuredCopy(member)]));
}

/**
 * `{"$repeat": ["x", 128]}` means 128 times the text, `{"$list": [value, 51]}` a list of 51 times the value.
 */
function expand(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  if (Array.isArray(value)) return value.map(expand);
  if ('$repeat' in value && Array.isArray(value.$repeat)) {
    return String(value.$repeat[0]).repeat(Number(value.$repeat[1]));
  }
  if ('$list' in value && Array.isArray(value.$list)) {
    return Array<unknown>(Number(value.$list[1])).fill(value.$list[0]);
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, expand(member)]));
}
