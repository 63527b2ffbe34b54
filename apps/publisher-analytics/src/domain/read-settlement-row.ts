import {
  SETTLEMENT_FIELD_CHARACTERS,
  SETTLEMENT_STATUSES,
  type SettlementField,
  type SettlementStatus,
} from '@truetally/contracts/publisher';
import {
  fail,
  type FieldErrors,
  isStorableText,
  MAX_MINOR,
  minorDigitsOf,
  parseDecimal,
  parseInstant,
  type Result,
  succeed,
  toMinor,
} from '@truetally/kernel';
import { type MicroInstant, toMicroInstant } from './instants.js';

/**
 * A settlement from one row, with its click reference still unencrypted: it must not be stored in this form.
 */
export interface SettlementRow {
  readonly providerTransactionId: string;
  readonly clickReference: string | null;
  readonly orderReference: string | null;
  readonly status: SettlementStatus;
  readonly currency: string;
  /** Minor units. */
  readonly commissionable: bigint;
  readonly commission: bigint;
  readonly transactionAt: MicroInstant;
  readonly updatedAt: MicroInstant;
  /**
   * Whether the network reports when it changed the row. If not, `updatedAt` is the best known time, and a
   * row that differs from the previous one was changed when it was observed.
   */
  readonly isChangeTimed: boolean;
}

/** Values from a file or an API: texts, or numbers with all digits. */
export type RawRow = Readonly<Partial<Record<SettlementField, unknown>>>;

const AHEAD_MS = 86_400_000;
const DECIMAL_COMMA = /^-?[\d.\s]*\d,\d+$/;

/**
 * Validates a row: every broken rule by its field, or its content (interface page, section 8). Messages
 * contain no values.
 */
export function readSettlementRow(
  row: RawRow,
  nowMs: number,
  isChangeTimed = true,
): Result<SettlementRow, FieldErrors> {
  const reader = new RowReader(row, nowMs);
  const currency = reader.currency();
  const value: SettlementRow = {
    providerTransactionId: reader.identifier('provider_transaction_id'),
    clickReference: reader.optional('click_reference'),
    orderReference: reader.optional('order_reference'),
    status: reader.status(),
    currency,
    commissionable: reader.amount('commissionable_amount', currency),
    commission: reader.amount('commission_amount', currency),
    transactionAt: reader.instant('transaction_at'),
    updatedAt: reader.instant('updated_at'),
    isChangeTimed,
  };
  return Object.keys(reader.errors).length === 0 ? succeed(value) : fail(reader.errors);
}

class RowReader {
  readonly errors: Record<string, readonly string[]> = {};

  constructor(
    private readonly row: RawRow,
    private readonly nowMs: number,
  ) {}

  /** Networks also write ids as numbers. */
  identifier(field: SettlementField): string {
    const value = this.valueOf(field);
    const text = Number.isSafeInteger(value) ? String(value) : value;
    if (isAbsent(text)) return this.refuse(field, 'is required', '');
    return this.text(field, text) ?? '';
  }

  optional(field: SettlementField): string | null {
    const value = this.valueOf(field);
    if (isAbsent(value)) return null;
    return this.text(field, Number.isSafeInteger(value) ? String(value) : value) ?? null;
  }

  status(): SettlementStatus {
    const value = this.valueOf('status');
    const known = SETTLEMENT_STATUSES.find((status) => status === value);
    return known ?? this.refuse('status', `must be one of ${SETTLEMENT_STATUSES.join(', ')}`, 'pending');
  }

  currency(): string {
    const currency = this.valueOf('currency');
    if (typeof currency === 'string' && minorDigitsOf(currency) !== undefined) return currency;
    return this.refuse('currency', 'must be an active ISO 4217 code in upper case that has a minor unit', '');
  }

  amount(field: SettlementField, currency: string): bigint {
    const value = this.valueOf(field);
    if (isAbsent(value)) return this.refuse(field, 'is required', 0n);
    if (typeof value === 'string' && DECIMAL_COMMA.test(value)) {
      return this.refuse(
        field,
        'must have a decimal point: a decimal comma is not read, 1,500 could be two amounts',
        0n,
      );
    }
    const decimal = parseDecimal(value);
    if (decimal === undefined) return this.refuse(field, 'must be a plain decimal number such as 12.50', 0n);
    if (decimal.units < 0n) return this.refuse(field, 'must be at least 0', 0n);
    const digits = minorDigitsOf(currency);
    if (digits === undefined) return 0n;
    const minor = toMinor(decimal, digits);
    if (minor === undefined)
      return this.refuse(field, `must have at most ${digits} decimals in ${currency}`, 0n);
    return minor > MAX_MINOR ? this.refuse(field, 'must be at most 2^63 - 1 minor units', 0n) : minor;
  }

  instant(field: SettlementField): MicroInstant {
    const value = this.valueOf(field);
    if (isAbsent(value)) return this.refuse(field, 'is required', '');
    const instant = typeof value === 'string' ? parseInstant(value) : undefined;
    if (instant === undefined)
      return this.refuse(field, 'must be an ISO 8601 date and time with an offset', '');
    if (instant.epochMs - this.nowMs > AHEAD_MS) {
      return this.refuse(field, 'must not be more than 24 hours ahead of the server', '');
    }
    return toMicroInstant(instant);
  }

  /** White space at the ends does not count, whether a file, a list or an interface told the row. */
  private valueOf(field: SettlementField): unknown {
    const value = this.row[field];
    return typeof value === 'string' ? value.trim() : value;
  }

  private text(field: SettlementField, value: unknown): string | undefined {
    const most = SETTLEMENT_FIELD_CHARACTERS[field];
    if (typeof value !== 'string') return this.refuse(field, 'must be a text', undefined);
    if (value.length > most && [...value].length > most)
      return this.refuse(field, `must be at most ${most} characters`, undefined);
    if (!isStorableText(value))
      return this.refuse(field, 'must not hold U+0000 or a lone surrogate', undefined);
    return value;
  }

  private refuse<T>(field: SettlementField, message: string, instead: T): T {
    this.errors[field] ??= [message];
    return instead;
  }
}

/** An empty cell counts as absent. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
