import { fingerprintHex } from '@truetally/kernel';

/**
 * Accounts of an order, each a signed column of whole minor units. A record's first five sum to zero, and so
 * do its last five, where `memorandum` balances the observed amounts.
 */
export const LEDGER_ACCOUNTS = [
  'receivable',
  'merchandise',
  'discount',
  'tax',
  'shipping',
  'commissionable',
  'cost',
  'margin',
  'commission',
  'memorandum',
] as const;
/** One of `LEDGER_ACCOUNTS`. */
export type LedgerAccount = (typeof LEDGER_ACCOUNTS)[number];

/** Every column of `attribution_ledger.records` except `previous_hash` and `hash`, in sealing order. */
export const RECORD_COLUMNS = [
  'site_id',
  'chain_sequence',
  'record_id',
  'conversion_id',
  'order_id',
  'order_sequence',
  'event_type',
  'state',
  'idempotency_key',
  'fingerprint',
  'currency',
  'occurred_at',
  'recorded_at',
  'receivable',
  'merchandise',
  'discount',
  'tax',
  'shipping',
  'commissionable',
  'cost',
  'margin',
  'commission',
  'memorandum',
  'receivable_balance',
  'merchandise_balance',
  'discount_balance',
  'tax_balance',
  'shipping_balance',
  'commissionable_balance',
  'cost_balance',
  'margin_balance',
  'commission_balance',
  'memorandum_balance',
  'margin_basis',
  'margin_source',
  'reason',
  'lines',
  'touch_ids',
  'experiment_assignment_ids',
  'attribution',
  'request_partition',
  'request_offset',
  'request_id',
  'attribution_model',
  'lookback_days',
] as const;
/** One of `RECORD_COLUMNS`. */
export type RecordColumn = (typeof RECORD_COLUMNS)[number];

/** A row in Postgres' text format (`DateStyle` ISO, time zone UTC), so that verification converts nothing. */
export type SealedFields = Readonly<Record<RecordColumn, string | null>>;

/** The previous hash of a site's first record. */
export const FIRST_PREVIOUS_HASH = '0'.repeat(64);

/**
 * The seal of a record: SHA-256 over the length-prefixed format, previous seal and columns. Two different
 * rows never have the same input.
 * @returns 64 lowercase hexadecimal digits
 */
export function sealOf(previousHash: string, fields: SealedFields): string {
  const values: (string | null)[] = [SEAL_FORMAT, previousHash];
  for (const column of RECORD_COLUMNS) values.push(fields[column]);
  return fingerprintHex(values);
}

/** Changes with the columns; records of a released format keep theirs. */
export const SEAL_FORMAT = 'truetally.ledger.1';

/**
 * An ISO 8601 UTC instant (`2026-01-31T09:30:00.120Z`) as Postgres writes a `timestamptz` as text in UTC
 * (`2026-01-31 09:30:00.12+00`).
 */
export function instantColumn(instant: string): string {
  const parts = UTC_INSTANT.exec(instant);
  if (parts === null) throw new Error(`Not an instant in UTC with at most six decimals: ${instant}`);
  const fraction = (parts[3] ?? '').replace(/0+$/, '');
  return `${parts[1] ?? ''} ${parts[2] ?? ''}${fraction === '' ? '' : `.${fraction}`}+00`;
}

const UTC_INSTANT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?Z$/;
