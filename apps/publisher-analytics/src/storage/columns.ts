import { arrayLiteral } from '@truetally/persistence';

/** Microseconds, in the domain's format. */
export const micro = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Columns of a table with the parameter type of each. */
export type Columns<Row> = readonly (readonly [name: keyof Row & string, type: string])[];

/** `$1::uuid[], $2::text[]`: one array per column. */
export function arrayParameters<Row>(columns: Columns<Row>): string {
  return columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');
}

export function namesOf<Row>(columns: Columns<Row>): string {
  return columns.map(([name]) => name).join(', ');
}

/** The value of a column when writing. */
type Cell = boolean | number | string | null;

/** The rows as one array per column. */
export function arraysOf<Row extends { readonly [Name in keyof Row]: Cell }>(
  columns: Columns<Row>,
  rows: readonly Row[],
): string[] {
  return columns.map(([name]) => arrayLiteral(rows.map((row) => row[name])));
}

/** Bytes in the format of array literals. @param hex their hexadecimal digits */
export function byteaOf(hex: string): string {
  return `\\x${hex}`;
}
