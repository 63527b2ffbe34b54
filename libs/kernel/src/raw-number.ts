/**
 * A number with more digits than a double holds (or an exponent), kept as its text: `JSON.stringify` writes
 * it back verbatim. `readJson` creates it with Node 24's `JSON.rawJSON`.
 */
export interface RawNumber {
  readonly rawJSON: string;
}

type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;

declare global {
  /** In Node 24, but not yet in TypeScript 5.9. */
  interface JSON {
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
    parse(text: string, revive: Reviver): unknown;
  }
}

/** Whether a value is a number that `readJson` kept as text. */
export function isRawNumber(value: unknown): value is RawNumber {
  return typeof value === 'object' && value !== null && 'rawJSON' in value && JSON.isRawJSON(value);
}

/** The nearest double; infinite for `1e400`. */
export function numberOf(value: number | RawNumber): number {
  return typeof value === 'number' ? value : Number(value.rawJSON);
}
