import type { JsonSchema } from '@truetally/contracts/validation';

type Json = Readonly<Record<string, unknown>>;

/** A request that was sent to the running product, and what it was answered. */
export interface Example {
  /** Values of the path's parameters. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Of a JSON request. */
  readonly body?: unknown;
  /** `data` of JSON successes by their status. */
  readonly answers: Readonly<Record<string, unknown>>;
}

/** By operation id. `generated/examples.ts` is written by the test of all answers. */
export type Examples = Readonly<Record<string, Example>>;

const META = { timestamp: '2026-01-31T09:30:00.000Z', request_id: 'a1b2c3d4e5f60718' } as const;

/** The whole answer of which an example has the data. */
export function answerExample(example: Example | undefined, status: string): Json {
  const data = example?.answers[status];
  return data === undefined ? {} : { example: { success: true, data, meta: META } };
}

/** A value of a parameter in the path or the query, of which a request has the text. */
export function parameterExample(
  values: Readonly<Record<string, string>> = {},
  name: string,
  { type }: JsonSchema = {},
): Json {
  const value = values[name];
  if (value === undefined) return {};
  return { example: type === 'integer' || type === 'number' ? Number(value) : value };
}

export function bodyExample({ body }: Example = { answers: {} }): Json {
  return body === undefined ? {} : { example: body };
}
