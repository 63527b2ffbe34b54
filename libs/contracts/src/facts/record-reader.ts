import { parseInstant } from '@truetally/kernel';

/**
 * Reads a fact tolerantly: unknown fields are ignored, so that producers may add some. A missing field or one
 * of another type is recorded by name, and the whole fact is refused.
 */
export class RecordReader {
  protected constructor(
    private readonly fields: Readonly<Record<string, unknown>>,
    /** Names of the unreadable fields, also of those in objects within. */
    readonly faults: string[] = [],
  ) {}

  /** @returns undefined when the text is not a JSON object */
  static of(text: string): RecordReader | undefined {
    try {
      return RecordReader.from(JSON.parse(text));
    } catch {
      return undefined;
    }
  }

  /** From a parsed value; undefined when it is not an object. */
  static from(value: unknown): RecordReader | undefined {
    return isObject(value) ? new RecordReader(value) : undefined;
  }

  text(name: string): string {
    const value = this.fields[name];
    return typeof value === 'string' ? value : this.refuse(name, '');
  }

  textOrNull(name: string): string | null {
    const value = this.fields[name];
    return value === null || value === undefined ? null : this.text(name);
  }

  /** A time as ISO 8601. */
  instant(name: string): string {
    const value = this.text(name);
    return parseInstant(value) === undefined ? this.refuse(name, '') : value;
  }

  instantOrNull(name: string): string | null {
    const value = this.fields[name];
    return value === null || value === undefined ? null : this.instant(name);
  }

  integer(name: string): number {
    const value = this.fields[name];
    return typeof value === 'number' && Number.isSafeInteger(value) ? value : this.refuse(name, 0);
  }

  integerOrNull(name: string): number | null {
    const value = this.fields[name];
    return value === null || value === undefined ? null : this.integer(name);
  }

  /** Any value, for a reader of its own. */
  anything(name: string): unknown {
    return this.fields[name];
  }

  /** A whole number as a decimal string, because JSON numbers are exact only to 2^53. */
  amount(name: string): bigint {
    const value = this.fields[name];
    return isAmount(value) ? BigInt(value) : this.refuse(name, 0n);
  }

  amountOrNull(name: string): bigint | null {
    const value = this.fields[name];
    return value === null || value === undefined ? null : this.amount(name);
  }

  flag(name: string): boolean {
    const value = this.fields[name];
    return typeof value === 'boolean' ? value : this.refuse(name, false);
  }

  texts(name: string): readonly string[] {
    const value = this.fields[name];
    return isTexts(value) ? value : this.refuse(name, []);
  }

  /** A map of texts, as path parameters and list filters are. */
  textMap(name: string): Readonly<Record<string, string>> {
    const value = this.fields[name];
    const isMap = isObject(value) && Object.values(value).every((member) => typeof member === 'string');
    return isMap ? (value as Readonly<Record<string, string>>) : this.refuse(name, {});
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.fields[name];
    return allowed.find((candidate) => candidate === value) ?? this.refuse(name, undefined);
  }

  object(name: string): RecordReader {
    const value = this.fields[name];
    return new RecordReader(isObject(value) ? value : this.refuse(name, {}), this.faults);
  }

  /** An object, unchanged. */
  members(name: string): Readonly<Record<string, unknown>> {
    const value = this.fields[name];
    return isObject(value) ? value : this.refuse(name, {});
  }

  objectOrNull(name: string): RecordReader | null {
    const value = this.fields[name];
    return value === null || value === undefined ? null : this.object(name);
  }

  /** Items of any type, each read by `read`. An item that it does not know (undefined) refuses the list. */
  list<T>(name: string, read: (item: unknown) => T | undefined): readonly T[] {
    const value = this.fields[name];
    const items: readonly unknown[] = Array.isArray(value) ? value : this.refuse(name, []);
    const known: T[] = [];
    for (const item of items) {
      const one = read(item);
      if (one === undefined) return this.refuse(name, []);
      known.push(one);
    }
    return known;
  }

  /** One reader per item, in order. */
  objects(name: string): readonly RecordReader[] {
    const value = this.fields[name];
    const items: readonly unknown[] = Array.isArray(value) ? value : this.refuse(name, []);
    if (!items.every(isObject)) return this.refuse(name, []);
    return items.map((item) => new RecordReader(item, this.faults));
  }

  private refuse<T>(name: string, instead: T): T {
    this.faults.push(name);
    return instead;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Far above every amount, and short enough to bound the cost of a broken message. */
const AMOUNT = /^-?\d{1,40}$/;

/** Whether a value is a whole number in the wire format of amounts. */
export function isAmount(value: unknown): value is string {
  return typeof value === 'string' && AMOUNT.test(value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
