/** As the ledger writes amounts: `0042` is a name. */
const DECIMAL = /^-?(?:0|[1-9]\d{0,39})(?:\.\d{1,40})?$/;

export function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && DECIMAL.test(value);
}

/**
 * Values, and whether another one is equal to one of them: of one type and value, or numbers and decimal texts, as amounts of the
 * ledger are written, of the same amount. However many they are, a look-up takes the same time.
 */
export class EqualValues {
  private readonly exact: ReadonlySet<unknown>;
  private amounts: Amounts | undefined;

  constructor(values: readonly unknown[]) {
    this.exact = new Set(values);
  }

  has(value: unknown): boolean {
    if (this.exact.has(value)) return true;
    if (typeof value !== 'number' && !isDecimal(value)) return false;
    const { numbers, texts, nearTexts } = (this.amounts ??= amountsOf(this.exact));
    if (typeof value === 'number') return nearTexts.has(nearestOf(value));
    return texts.has(exactOf(value)) || numbers.has(nearestOf(value));
  }
}

type Amount = string | number;

interface Amounts {
  readonly numbers: ReadonlySet<Amount>;
  readonly texts: ReadonlySet<Amount>;
  /** As numbers are compared with them. */
  readonly nearTexts: ReadonlySet<Amount>;
}

function amountsOf(values: ReadonlySet<unknown>): Amounts {
  const all = [...values];
  const texts = all.filter(isDecimal);
  const numbers = all.filter((value) => typeof value === 'number');
  return {
    numbers: new Set(numbers.map(nearestOf)),
    texts: new Set(texts.map(exactOf)),
    nearTexts: new Set(texts.map(nearestOf)),
  };
}

/** Of a number and a text the same when they are the same amount: exactly, but for numbers that are written with an exponent. */
function nearestOf(value: Amount): Amount {
  const nearest = Number(value);
  return isDecimal(String(nearest)) ? exactOf(String(value)) : nearest;
}

/** A decimal as short as it can be written. */
function exactOf(decimal: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d*?)0*)?$/.exec(decimal) ?? [];
  const amount = fraction === '' ? whole : `${whole}.${fraction}`;
  return amount === '0' ? amount : sign + amount;
}
