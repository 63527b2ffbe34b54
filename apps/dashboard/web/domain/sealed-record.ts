/** A record of a site's chain with the texts that were sealed (interface page, section 6). */
export interface SealedRecord {
  /** Its place in the chain: a whole number as text, from 1. */
  readonly sequence: string;
  readonly format: string;
  /** 64 lower-case hexadecimal digits each. */
  readonly previous_hash: string;
  readonly hash: string;
  readonly fields: readonly (readonly [name: string, text: string | null])[];
}

/** What is wrong, with its place in the chain; null where the place itself is missing. */
export interface Fault {
  readonly sequence: string | null;
  readonly text: string;
}

export type SealedFields = ReadonlyMap<string, string | null>;

export const FIRST_PREVIOUS_HASH = '0'.repeat(64);

/** The names are not sealed, only their texts: they have to be these, in this order. */
const COLUMNS: Readonly<Record<string, string>> = {
  'truetally.ledger.1':
    'site_id chain_sequence record_id conversion_id order_id order_sequence event_type state idempotency_key ' +
    'fingerprint currency occurred_at recorded_at receivable merchandise discount tax shipping commissionable cost ' +
    'margin commission memorandum receivable_balance merchandise_balance discount_balance tax_balance ' +
    'shipping_balance commissionable_balance cost_balance margin_balance commission_balance memorandum_balance ' +
    'margin_basis margin_source reason lines touch_ids experiment_assignment_ids attribution request_partition ' +
    'request_offset request_id attribution_model lookback_days',
};

/** Accounts that sum to zero in every record: what was sold, and what it means for the commission. */
const ENTRY_PAIRS = [
  ['receivable', 'merchandise', 'discount', 'tax', 'shipping'],
  ['commissionable', 'cost', 'margin', 'commission', 'memorandum'],
];
export const ACCOUNTS = ENTRY_PAIRS.flat();

const BYTES = new TextEncoder();

/** Seals the record again: lower-case hexadecimal SHA-256 over its format, previous hash and texts. */
export async function sealOf({
  format,
  previous_hash: previous,
  fields,
}: Omit<SealedRecord, 'hash' | 'sequence'>): Promise<string> {
  const texts = [format, previous, ...fields.map(([, text]) => text)];
  const sealed = texts.map((text) => (text === null ? '-' : `${BYTES.encode(text).length}:${text}`)).join('');
  // eslint-disable-next-line no-restricted-globals -- a digest is as pure as a sum: no clock, no randomness
  const digest = await crypto.subtle.digest('SHA-256', BYTES.encode(sealed));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What is wrong with one record, as far as it can be seen from the record alone. */
export async function faultOf(record: SealedRecord, siteId: string): Promise<Fault | undefined> {
  const { sequence } = record;
  const names = COLUMNS[record.format];
  if (names === undefined) return { sequence, text: `its format ${record.format} is not known to this page` };
  if (record.fields.map(([name]) => name).join(' ') !== names) {
    return { sequence, text: 'its fields are not those of its format' };
  }
  if ((await sealOf(record)) !== record.hash) {
    return { sequence, text: 'its fields and the hash before it do not give its hash' };
  }
  const fields: SealedFields = new Map(record.fields);
  if (fields.get('chain_sequence') !== sequence) {
    return { sequence, text: `it was sealed for place ${fields.get('chain_sequence')}` };
  }
  if (fields.get('site_id') !== siteId) return { sequence, text: 'it was sealed for another site' };
  const unbalanced = ENTRY_PAIRS.find(
    (accounts) => accounts.reduce((sum, account) => sum + minorOf(fields, account), 0n) !== 0n,
  );
  return unbalanced === undefined
    ? undefined
    : { sequence, text: `${unbalanced.join(', ')} do not sum to zero` };
}

/** Whole minor units of an account; an amount that is not known counts as none, and so does what is no number. */
export function minorOf(fields: SealedFields, account: string): bigint {
  const text = fields.get(account) ?? '0';
  return /^-?\d+$/.test(text) ? BigInt(text) : 0n;
}
