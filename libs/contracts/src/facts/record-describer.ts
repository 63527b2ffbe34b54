import { RecordReader } from './record-reader.js';

/** A field of a record, as JSON Schema says it. */
export interface FieldDescription {
  readonly type: string;
  readonly isNullable: boolean;
  readonly enum?: readonly string[];
  readonly format?: string;
  /** Of an object, or of the objects of a list. */
  readonly fields?: RecordDescription;
}

/** The fields of a record by name, in the order of their declaration. */
export type RecordDescription = ReadonlyMap<string, FieldDescription>;

const ANY_INSTANT = '2026-01-31T09:30:00.000Z';

/**
 * Notes how each field is read, instead of reading one: the declaration of a record is its description, too. Optional
 * values are given as present, so that what depends on them is declared as well.
 */
export class RecordDescriber extends RecordReader {
  private readonly described = new Map<string, FieldDescription>();

  constructor() {
    super({});
  }

  get description(): RecordDescription {
    return this.described;
  }

  /** In the order in which the fields are written. */
  inOrderOf(names: readonly string[]): RecordDescription {
    const place = ([name]: readonly [string, unknown]): number => names.indexOf(name);
    return new Map([...this.described].toSorted((one, other) => place(one) - place(other)));
  }

  override text(name: string): string {
    return this.note(name, { type: 'string' }, name);
  }

  override textOrNull(name: string): string | null {
    return this.note(name, { type: 'string', isNullable: true }, name);
  }

  override instant(name: string): string {
    return this.note(name, { type: 'string', format: 'date-time' }, ANY_INSTANT);
  }

  override instantOrNull(name: string): string | null {
    return this.note(name, { type: 'string', format: 'date-time', isNullable: true }, ANY_INSTANT);
  }

  override integer(name: string): number {
    return this.note(name, { type: 'integer' }, 1);
  }

  override integerOrNull(name: string): number | null {
    return this.note(name, { type: 'integer', isNullable: true }, 1);
  }

  override flag(name: string): boolean {
    return this.note(name, { type: 'boolean' }, false);
  }

  override texts(name: string): readonly string[] {
    return this.note(name, { type: 'array' }, []);
  }

  override oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    return this.note(name, { type: 'string', enum: allowed }, allowed[0]);
  }

  override members(name: string): Readonly<Record<string, unknown>> {
    return this.note(name, { type: 'object' }, {});
  }

  override list<T>(name: string): readonly T[] {
    return this.note(name, { type: 'array' }, []);
  }

  override object(name: string): RecordReader {
    const inside = new RecordDescriber();
    return this.note(name, { type: 'object', fields: inside.description }, inside);
  }

  override objectOrNull(name: string): RecordReader | null {
    const inside = new RecordDescriber();
    return this.note(name, { type: 'object', isNullable: true, fields: inside.description }, inside);
  }

  override objects(name: string): readonly RecordReader[] {
    const inside = new RecordDescriber();
    return this.note(name, { type: 'array', fields: inside.description }, [inside]);
  }

  /** A field that is asked for twice (whether it is null, and then which word it is) is both. */
  private note<T>(name: string, field: Partial<FieldDescription> & { readonly type: string }, value: T): T {
    const before = this.described.get(name);
    this.described.set(name, {
      isNullable: false,
      ...before,
      ...field,
      ...(before?.isNullable === true && { isNullable: true }),
    });
    return value;
  }
}
