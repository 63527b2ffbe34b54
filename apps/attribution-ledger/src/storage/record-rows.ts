import { RECORD_COLUMNS, type RecordColumn } from '@truetally/contracts/attribution';
import { arrayLiteral } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import type { SealedEntry } from '../domain/seal-entries.js';

/** Columns that are neither text nor amount; every other account column is an amount. */
const TYPES: Partial<Record<RecordColumn, string>> = {
  site_id: 'uuid',
  record_id: 'uuid',
  conversion_id: 'uuid',
  chain_sequence: 'bigint',
  order_sequence: 'integer',
  request_partition: 'integer',
  request_offset: 'bigint',
  occurred_at: 'timestamptz',
  recorded_at: 'timestamptz',
  lines: 'json',
  touch_ids: 'json',
  experiment_assignment_ids: 'json',
  attribution: 'json',
  lookback_days: 'integer',
};
const TEXTS: readonly RecordColumn[] = [
  'order_id',
  'event_type',
  'state',
  'idempotency_key',
  'fingerprint',
  'currency',
  'margin_basis',
  'margin_source',
  'reason',
  'request_id',
  'attribution_model',
];

const COLUMNS = [...RECORD_COLUMNS, 'previous_hash', 'hash'];
const PARAMETERS = COLUMNS.map((column, index) => `$${index + 1}::${typeOf(column)}[]`);
const INSERT_RECORDS = `
  insert into records (${COLUMNS.join(', ')}) select * from unnest(${PARAMETERS.join(', ')})`;

/** Stores sealed records: each column is the exact text that was hashed. */
export async function insertRecords(client: ClientBase, sealed: readonly SealedEntry[]): Promise<void> {
  const values: (string | null)[][] = RECORD_COLUMNS.map((column) =>
    sealed.map(({ fields }) => fields[column]),
  );
  values.push(
    sealed.map(({ previousHash }) => previousHash),
    sealed.map(({ hash }) => hash),
  );
  await client.query({ name: 'insert-records', text: INSERT_RECORDS, values: values.map(arrayLiteral) });
}

function typeOf(column: string): string {
  const name = column as RecordColumn;
  if (name in TYPES) return TYPES[name] ?? 'text';
  return TEXTS.includes(name) || column.endsWith('hash') ? 'text' : 'numeric';
}
