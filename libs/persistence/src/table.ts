import type { QueryResultRow } from 'pg';
import { arrayLiteral } from './array-literal.js';
import {
  COLUMN_TYPES,
  type ColumnType,
  type ColumnTypeOf,
  type Stored,
  type StoredType,
} from './column-types.js';

/** The type alone where the column has the field's name. */
type ColumnOf<Value> = ColumnTypeOf<Value> | readonly [name: string, type: ColumnTypeOf<Value>];

/** Each field of a record with its column. */
export type Columns<Row> = { readonly [Field in keyof Row & string]-?: ColumnOf<Row[Field]> };

/** SQL and its parameters. */
export interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

interface Column {
  readonly field: string;
  readonly name: string;
  readonly type: StoredType;
}

/**
 * Describes a table, so that each of its columns is named once.
 * @typeParam Row a record in the code's format; each of its fields has a column
 * @param key the field that identifies a row
 */
export function tableOf<Row extends object>(
  name: string,
  key: keyof Row & string,
  columns: Columns<Row>,
): Table<Row> {
  const described = Object.entries<ColumnType | readonly [string, ColumnType]>(columns).map(
    ([field, column]) =>
      typeof column === 'string'
        ? { field, name: field, type: COLUMN_TYPES[column] }
        : { field, name: column[0], type: COLUMN_TYPES[column[1]] },
  );
  return new Table(name, described.find(({ field }) => field === key)?.name ?? key, described);
}

/** A table, or some of its columns, and the SQL that follows from them. Its names are ours, never a client's. */
export class Table<Row extends object> {
  /** All columns, to insert into: `campaign_id, name`. */
  readonly columns: string;
  /** A parameter for each, whose values are `values`: `$1, $2`. */
  readonly parameters: string;
  /** Rows to select from, with `arrays` as parameters: `unnest($1::uuid[], …) as given (campaign_id, …)`. */
  readonly given: string;

  constructor(
    readonly name: string,
    /** The column that identifies a row. */
    readonly key: string,
    private readonly described: readonly Column[],
  ) {
    this.columns = described.map((column) => column.name).join(', ');
    this.parameters = described.map((_, at) => `$${at + 1}`).join(', ');
    const arrays = described.map(({ type }, at) => `$${at + 1}::${type.sql}[]`);
    this.given = `unnest(${arrays.join(', ')}) as given (${this.columns})`;
  }

  /** To select rows for `read`: `campaign_id, price, to_char(…) as at`. @param alias the table's, in the statement */
  selection(alias?: string): string {
    const prefix = alias === undefined ? '' : `${alias}.`;
    return this.described
      .map(({ name, type }) =>
        type.select === undefined ? prefix + name : `${type.select(prefix + name)} as ${name}`,
      )
      .join(', ');
  }

  /** To select the columns as members of a JSON answer. */
  members(): string {
    return this.described
      .map(({ name, type }) => (type.member === undefined ? name : `${type.member(name)} as ${name}`))
      .join(', ');
  }

  /** The record of a row with the columns of `selection`. */
  readonly read = (row: QueryResultRow): Row => {
    const record: Record<string, unknown> = {};
    for (const { field, name, type } of this.described) {
      const value: unknown = row[name];
      record[field] = value === null || type.read === undefined ? value : type.read(value as never);
    }
    return record as Row;
  };

  /** @param rest SQL that follows: `on conflict do nothing` */
  insert(row: Row, rest = ''): Statement {
    const text = `insert into ${this.name} (${this.columns}) values (${this.parameters}) ${rest}`;
    return { text, values: this.values(row) };
  }

  /** Many rows in one statement, of a table without columns of arrays. */
  insertAll(rows: readonly Row[], rest = ''): Statement {
    const text = `insert into ${this.name} (${this.columns}) select * from ${this.given} ${rest}`;
    return { text, values: this.arrays(rows) };
  }

  /** Sets all columns but the key. */
  update(key: string, row: Row): Statement {
    const changing = this.described.filter(({ name }) => name !== this.key);
    const changes = changing.map(({ name }, at) => `${name} = $${at + 2}`).join(', ');
    const text = `update ${this.name} set ${changes} where ${this.key} = $1`;
    return { text, values: [key, ...valuesOf(changing, row)] };
  }

  delete(key: string): Statement {
    return { text: `delete from ${this.name} where ${this.key} = $1`, values: [key] };
  }

  /** The parameter of a field among `parameters`, or of its array in `given`: `$2`. */
  parameter(field: keyof Row & string): string {
    return `$${this.described.findIndex((column) => column.field === field) + 1}`;
  }

  values(row: Row): unknown[] {
    return valuesOf(this.described, row);
  }

  /** One array per column: the parameters of `given`. */
  arrays(rows: readonly Row[]): string[] {
    return this.described.map((column) => arrayLiteral(rows.map((row) => elementOf(column, row))));
  }

  /** Some of its columns. */
  only<Field extends keyof Row & string>(...fields: readonly Field[]): Table<Pick<Row, Field>> {
    const wanted: readonly string[] = fields;
    return new Table(
      this.name,
      this.key,
      this.described.filter(({ field }) => wanted.includes(field)),
    );
  }

  /** All columns but these. */
  without<Field extends keyof Row & string>(...fields: readonly Field[]): Table<Omit<Row, Field>> {
    const unwanted: readonly string[] = fields;
    return new Table(
      this.name,
      this.key,
      this.described.filter(({ field }) => !unwanted.includes(field)),
    );
  }
}

function valuesOf(columns: readonly Column[], row: object): Stored[] {
  return columns.map((column) => stored(column, row));
}

function stored({ field, type }: Column, row: object): Stored {
  const value: unknown = Reflect.get(row, field);
  if (value === null || value === undefined) return null;
  return type.write === undefined ? (value as Stored) : type.write(value as never);
}

function elementOf(column: Column, row: object): boolean | number | string | null {
  const value = stored(column, row);
  if (typeof value === 'object' && value !== null) {
    throw new Error(`Many rows cannot be inserted with the arrays of ${column.name}.`);
  }
  return value;
}
