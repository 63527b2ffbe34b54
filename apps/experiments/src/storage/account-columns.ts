import {
  ACCOUNT_FIELDS,
  EMPTY_SUMS,
  HOUR_FIELDS,
  SUM_FIELDS,
  type Sums,
  sumsFrom,
} from '../domain/account.js';

/** As text: Postgres numbers that exceed JavaScript's. */
export const ACCOUNT_TEXTS = textsOf(ACCOUNT_FIELDS);
export const SUM_TEXTS = textsOf(SUM_FIELDS);
export const HOUR_TEXTS = textsOf(HOUR_FIELDS);

type Texts<Fields extends string> = Readonly<Record<Fields, string>>;
export type SumTexts = Texts<keyof Sums>;
export type HourTexts = Texts<(typeof HOUR_FIELDS)[number]>;

function textsOf(fields: readonly string[]): string {
  return fields.map((field) => `${field}::text`).join(', ');
}

export function sumsOf(row: SumTexts): Sums {
  return sumsFrom((field) => BigInt(row[field]));
}

/** Cubes are zero: they are stored only for a whole arm. */
export function hourSumsOf(row: HourTexts): Sums {
  const sums: Record<keyof Sums, bigint> = { ...EMPTY_SUMS };
  for (const field of HOUR_FIELDS) sums[field] = BigInt(row[field]);
  return sums;
}

/** One array of texts per field, for `unnest`. */
export function columnsOf<Field extends string>(
  fields: readonly Field[],
  rows: readonly Readonly<Record<Field, bigint>>[],
): readonly (readonly string[])[] {
  return fields.map((field) => rows.map((row) => String(row[field])));
}

/** `$3::numeric[], $4::numeric[], …`, one for each field. */
export function numericParameters(fields: readonly string[], first: number): string {
  return fields.map((_, index) => `$${first + index}::numeric[]`).join(', ');
}
