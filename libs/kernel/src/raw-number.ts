/**
 * A number written with more digits than a double holds (or an exponent), kept as the text that came:
 * `JSON.stringify` writes it back verbatim. Made by `readJson`, from Node 24's `JSON.rawJSON`.
 */
export interface RawNumber {
  readonly rawJSON: string;
}

type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;

declare global {
  /** Node 24 knows these; TypeScript 5.9 does not yet. */
  interface JSON {
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
    parse(text: string, revive: Reviver): unknown;
  }
}

export function isRawNumber(value: unknown): value is RawNumber {
  return typeof value === 'object' && value !== null && 'rawJSON' in value && JSON.isRawJSON(value);
}

/** The nearest double; infinite for `1e400`. */
export function numberOf(value: number | RawNumber): number {
  return typeof value === 'number' ? value : Number(value.rawJSON);
}
