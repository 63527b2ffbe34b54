import { ACCOUNT_FIELDS, SUM_FIELDS, type Sums, sumsFrom } from '../domain/account.js';

/** As texts: numbers of Postgres that JavaScript's do not hold. */
export const ACCOUNT_TEXTS = ACCOUNT_FIELDS.map((field) => `${field}::text`).join(', ');
export const SUM_TEXTS = SUM_FIELDS.map((field) => `${field}::text`).join(', ');

type Texts<Fields extends string> = Readonly<Record<Fields, string>>;
export type SumTexts = Texts<keyof Sums>;

export function sumsOf(row: SumTexts): Sums {
  return sumsFrom((field) => BigInt(row[field]));
}

/** One array of texts for each field, as `unnest` takes them. */
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
