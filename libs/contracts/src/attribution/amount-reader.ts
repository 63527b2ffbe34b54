import {
  type Decimal,
  formatDecimal,
  formatMinor,
  MAX_MINOR,
  minorDigitsOf,
  parseDecimal,
  powerOfTen,
  toMinor,
} from '@truetally/kernel';
import { type Violation } from '../validation/compile-validator.js';

export type Sign = 'any' | 'not negative' | 'positive';

/**
 * Reads the amounts of one body in its currency and collects the rules that they break. An unreadable amount
 * is undefined. If the DTO has already reported it (missing, or not a decimal), it is not reported again, and
 * every rule that needs it is skipped.
 */
export class AmountReader {
  readonly violations: Violation[] = [];
  private readonly digits: number | undefined;

  /** @param currency as received; if it is not a currency, no amount can be read */
  constructor(readonly currency: unknown) {
    this.digits = typeof currency === 'string' ? minorDigitsOf(currency) : undefined;
    if (this.digits === undefined && typeof currency === 'string' && currency !== '') {
      this.break('currency', 'must be an active ISO 4217 code in upper case that has a minor unit');
    }
  }

  /** Minor units of the currency. */
  amount(path: string, value: unknown, sign: Sign = 'any'): bigint | undefined {
    const decimal = this.decimal(path, value, sign);
    if (decimal === undefined || this.digits === undefined) return undefined;
    const minor = toMinor(decimal, this.digits);
    if (minor === undefined) {
      this.break(path, `must have at most ${this.digits} decimals in ${this.code}; got ${decimal.scale}`);
    } else if (minor > MAX_MINOR || minor < -MAX_MINOR) {
      this.break(path, this.tooLarge());
    }
    return minor;
  }

  /**
   * A unit price in major units. It may have more decimals than the currency, but has the same upper bound.
   */
  price(path: string, value: unknown, sign: Sign, maxDecimals: number): Decimal | undefined {
    const decimal = this.finite(path, value, sign, maxDecimals);
    if (decimal === undefined || this.digits === undefined) return undefined;
    // Whole minor units, truncated: the bound does not depend on rounding.
    const minor = (decimal.units * powerOfTen(this.digits)) / powerOfTen(decimal.scale);
    if (minor > MAX_MINOR || minor < -MAX_MINOR) this.break(path, this.tooLarge());
    return decimal;
  }

  /** A decimal without a currency: a quantity. */
  finite(path: string, value: unknown, sign: Sign, maxDecimals: number): Decimal | undefined {
    const decimal = this.decimal(path, value, sign);
    if (decimal === undefined) return undefined;
    if (decimal.scale > maxDecimals) {
      this.break(path, `must have at most ${maxDecimals} decimals; got ${decimal.scale}`);
    }
    return decimal;
  }

  /** Two amounts that must be equal. The message states both and their exact difference. */
  mustEqual(path: string, rule: string, expected: bigint | undefined, given: bigint | undefined): void {
    if (expected === undefined || given === undefined || expected === given) return;
    this.break(
      path,
      `must equal ${rule}: expected ${this.format(expected)}, got ${this.format(given)}, difference ${this.format(given - expected)}`,
    );
  }

  /** An amount with an upper bound. The message states both and the excess. */
  mustNotExceed(path: string, rule: string, most: bigint | undefined, given: bigint | undefined): void {
    if (most === undefined || given === undefined || given <= most) return;
    this.break(
      path,
      `must not exceed ${rule}: expected at most ${this.format(most)}, got ${this.format(given)}, difference ${this.format(given - most)}`,
    );
  }

  /** An amount that follows from others, and is stored as they are. */
  mustFit(path: string, name: string, minor: bigint | undefined): void {
    if (minor !== undefined && minor > MAX_MINOR) this.break(path, `${name} ${this.tooLarge()}`);
  }

  break(path: string, message: string): void {
    this.violations.push({ path, message });
  }

  /** Decimals of the currency; undefined when there is none. */
  get minorDigits(): number | undefined {
    return this.digits;
  }

  private decimal(path: string, value: unknown, sign: Sign): Decimal | undefined {
    if (value === undefined || value === null) return undefined;
    const decimal = parseDecimal(value);
    if (decimal === undefined) return undefined;
    if (sign === 'not negative' && decimal.units < 0n) {
      this.break(path, `must be at least 0; got ${formatDecimal(decimal)}`);
    }
    if (sign === 'positive' && decimal.units <= 0n) {
      this.break(path, `must be greater than 0; got ${formatDecimal(decimal)}`);
    }
    return decimal;
  }

  private tooLarge(): string {
    return `must be at most ${this.format(MAX_MINOR)} in ${this.code}, 2^63 - 1 minor units, and at least its negative`;
  }

  private format(minor: bigint): string {
    return formatMinor(minor, this.code);
  }

  private get code(): string {
    return String(this.currency);
  }
}
