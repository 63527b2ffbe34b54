import { readdirSync, readFileSync } from 'node:fs';

type Members = Readonly<Record<string, unknown>>;

/**
 * One line of a golden file: how the event differs from an ordinary `page_view`, and the expected outcome.
 */
export interface GoldenCase {
  readonly says: string;
  /** Fields of the event. */
  readonly event?: Members;
  /** Fields of its context. */
  readonly context?: Members;
  /** Paths that are removed. */
  readonly absent?: readonly string[];
  /** What the stored event must contain. */
  readonly stored?: {
    readonly properties?: Members;
    readonly context?: Members;
    readonly absentFromContext?: readonly string[];
    readonly occurred_at?: string;
  };
  /** For a refused event: all of its details. */
  readonly details?: Readonly<Record<string, readonly string[]>>;
}

/** Every case under `test/<kind>`, named by its file and description. */
export function goldenCases(kind: 'ok' | 'not-ok'): readonly [name: string, golden: GoldenCase][] {
  const folder = new URL(`../events/test/${kind}/`, import.meta.url);
  return readdirSync(folder).flatMap((file) => {
    const cases = expand(JSON.parse(readFileSync(new URL(file, folder), 'utf8'))) as readonly GoldenCase[];
    return cases.map((golden) => [`${file.replace('.json', '')}: ${golden.says}`, golden] as const);
  }) as [string, GoldenCase][];
}

export const BASE_EVENT = {
  event_type: 'page_view',
  session_id: 'session-1',
  properties: {},
  context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
};

/** The text of the case's event, as a client would send it. */
export function eventText(golden: GoldenCase): string {
  const context = Object.entries({ ...BASE_EVENT.context, ...golden.context });
  const event = Object.entries({
    ...BASE_EVENT,
    context: withoutAbsent(context, 'context.', golden),
    ...golden.event,
  });
  return JSON.stringify(withoutAbsent(event, '', golden));
}

function withoutAbsent(
  members: readonly [string, unknown][],
  prefix: string,
  { absent }: GoldenCase,
): Members {
  return Object.fromEntries(members.filter(([name]) => !(absent ?? []).includes(prefix + name)));
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
