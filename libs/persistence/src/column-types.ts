/** A parameter. */
export type Stored = boolean | number | string | readonly string[] | null;

/** How a column is stored; null is null on both sides. */
export interface StoredType {
  /** The parameter's type. */
  readonly sql: string;
  /** SQL that selects the column in another format. */
  readonly select?: (column: string) => string;
  /** The same as a member of JSON that Postgres writes. */
  readonly member?: (column: string) => string;
  readonly write?: (value: never) => Stored;
  /** From the driver's value. */
  readonly read?: (value: never) => unknown;
}

/** The kinds of columns, by name. */
export const COLUMN_TYPES = {
  boolean: { sql: 'boolean' },
  integer: { sql: 'integer' },
  'double precision': { sql: 'double precision' },
  text: { sql: 'text' },
  uuid: { sql: 'uuid' },
  date: { sql: 'date' },
  /** Exact digits, as text. */
  numeric: { sql: 'numeric', member: (column) => `${column}::text` },
  bigint: { sql: 'bigint', member: (column) => `${column}::text` },
  /** A number that stays far below 2^53. */
  count: { sql: 'bigint', read: Number },
  /** An ISO 8601 text in UTC with milliseconds; the session's zone is UTC. */
  instant: {
    sql: 'timestamptz',
    member: (column) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    read: (value: Date) => value.toISOString(),
  },
  /** The same as milliseconds since 1970. */
  milliseconds: {
    sql: 'timestamptz',
    write: (value: number) => new Date(value).toISOString(),
    read: (value: Date) => value.getTime(),
  },
  /** The same as text with microseconds. */
  microseconds: {
    sql: 'timestamptz',
    select: (column) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  },
  /** As Postgres writes it, with all digits: `2026-01-31 09:30:00.12+00`. */
  timestamptz: { sql: 'timestamptz', select: (column) => `${column}::text` },
  /** Original text: no digit is lost, and names keep their order. */
  json: { sql: 'json', write: (value: unknown) => JSON.stringify(value) },
  jsonb: { sql: 'jsonb', write: (value: unknown) => JSON.stringify(value) },
  'text[]': { sql: 'text[]' },
  'uuid[]': { sql: 'uuid[]' },
  /** Bytes as hexadecimal digits. */
  hex: {
    sql: 'bytea',
    write: (value: string) => `\\x${value}`,
    read: (value: Buffer) => value.toString('hex'),
  },
  base64: {
    sql: 'bytea',
    write: (value: string) => `\\x${Buffer.from(value, 'base64').toString('hex')}`,
    read: (value: Buffer) => value.toString('base64'),
  },
} as const satisfies Readonly<Record<string, StoredType>>;

export type ColumnType = keyof typeof COLUMN_TYPES;

/** What a record's field holds. */
interface FieldTypes extends Readonly<Record<ColumnType, unknown>> {
  readonly boolean: boolean;
  readonly integer: number;
  readonly 'double precision': number;
  readonly text: string;
  readonly uuid: string;
  readonly date: string;
  readonly numeric: string;
  readonly bigint: string;
  readonly count: number;
  readonly instant: string;
  readonly milliseconds: number;
  readonly microseconds: string;
  readonly timestamptz: string;
  readonly json: object;
  readonly jsonb: object;
  readonly 'text[]': readonly string[];
  readonly 'uuid[]': readonly string[];
  readonly hex: string;
  readonly base64: string;
}

/** The kinds of columns that can hold a field. */
export type ColumnTypeOf<Value> = {
  [Type in ColumnType]: NonNullable<Value> extends FieldTypes[Type] ? Type : never;
}[ColumnType];
