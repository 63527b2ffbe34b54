import type { SettlementStatus } from '@truetally/contracts/publisher';
import type { ClientBase } from 'pg';
import type { SettlementVersion, ToldState } from '../domain/decide-settlement.js';
import { arrayParameters, byteaOf, type Columns, micro, namesOf } from './columns.js';
import { arraysOfNames, type ReferenceName } from './reference-reads.js';

/** @typeParam Bytes as they are read; they are written as text */
export interface StateRecord<Bytes = Buffer> {
  readonly settlement_id: string;
  readonly order_reference: string | null;
  readonly reference_hash: Bytes | null;
  readonly status: SettlementStatus;
  readonly currency: string;
  readonly commissionable: string;
  readonly commission: string;
  readonly transaction_at: string;
  readonly updated_at: string;
  readonly recorded_at: string;
}

export interface SettlementRecord<Bytes = Buffer> extends StateRecord<Bytes> {
  readonly site_id: string;
  readonly provider: string;
  readonly provider_transaction_id: string;
}

const STATE: Columns<StateRecord<string>> = [
  ['settlement_id', 'uuid'],
  ['order_reference', 'text'],
  ['reference_hash', 'bytea'],
  ['status', 'text'],
  ['currency', 'text'],
  ['commissionable', 'bigint'],
  ['commission', 'bigint'],
  ['transaction_at', 'timestamptz'],
  ['updated_at', 'timestamptz'],
  ['recorded_at', 'timestamptz'],
];

export const STATE_TABLE: Columns<StateRecord<string>> = STATE;
export const SETTLEMENT_TABLE: Columns<SettlementRecord<string>> = [
  ...STATE,
  ['site_id', 'uuid'],
  ['provider', 'text'],
  ['provider_transaction_id', 'text'],
];

const TIMES: readonly string[] = ['transaction_at', 'updated_at', 'recorded_at'];
const IDENTITY: readonly string[] = ['settlement_id', 'site_id', 'provider', 'provider_transaction_id'];

/** For a table with the alias `s`. */
export const SETTLEMENT_COLUMNS = columnsOf(SETTLEMENT_TABLE);
export const STATE_COLUMNS = columnsOf(STATE_TABLE);

function columnsOf<Row>(columns: Columns<Row>): string {
  return columns
    .map(([name]) => (TIMES.includes(name) ? `${micro(`s.${name}`)} as ${name}` : `s.${name}`))
    .join(', ');
}

/** Those that do not count: a trigger adds the ones that an update replaces. */
export const INSERT_STATES = `insert into settlement_states (${namesOf(STATE_TABLE)})
  select * from unnest(${arrayParameters(STATE_TABLE)})`;

export const UPSERT_SETTLEMENTS = `
  insert into settlements (${namesOf(SETTLEMENT_TABLE)})
  select * from unnest(${arrayParameters(SETTLEMENT_TABLE)})
  on conflict (settlement_id) do update set ${SETTLEMENT_TABLE.map(([name]) => name)
    .filter((name) => !IDENTITY.includes(name))
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`;

const OF_REFERENCES = `
  select ${SETTLEMENT_COLUMNS} from unnest($1::bytea[], $2::text[]) as asked (hash, provider)
  join settlements s on s.reference_hash = asked.hash and s.provider = asked.provider`;

const ROWS_PER_FETCH = 1_000;

/** The settlements with these references, in their current state, in parts: one reference may have any number. */
export async function eachSettlementOf(
  client: ClientBase,
  names: readonly ReferenceName[],
  take: (part: readonly SettlementVersion[]) => void,
): Promise<void> {
  if (names.length === 0) return;
  await client.query(`declare settlements_of no scroll cursor for ${OF_REFERENCES}`, arraysOfNames(names));
  let rows: readonly SettlementRecord[];
  do {
    ({ rows } = await client.query<SettlementRecord>(`fetch ${ROWS_PER_FETCH} from settlements_of`));
    take(rows.map(toVersion));
  } while (rows.length === ROWS_PER_FETCH);
  await client.query('close settlements_of');
}

export function toVersion(row: SettlementRecord): SettlementVersion {
  return {
    settlementId: row.settlement_id,
    siteId: row.site_id,
    provider: row.provider,
    providerTransactionId: row.provider_transaction_id,
    ...toToldState(row),
    updatedAt: row.updated_at,
  };
}

export function toToldState(row: StateRecord): ToldState {
  return {
    orderReference: row.order_reference,
    referenceHash: row.reference_hash?.toString('hex') ?? null,
    status: row.status,
    currency: row.currency,
    commissionable: BigInt(row.commissionable),
    commission: BigInt(row.commission),
    transactionAt: row.transaction_at,
  };
}

export function toRecord(version: SettlementVersion, recordedAt: string): SettlementRecord<string> {
  return {
    settlement_id: version.settlementId,
    site_id: version.siteId,
    provider: version.provider,
    provider_transaction_id: version.providerTransactionId,
    order_reference: version.orderReference,
    reference_hash: version.referenceHash === null ? null : byteaOf(version.referenceHash),
    status: version.status,
    currency: version.currency,
    commissionable: String(version.commissionable),
    commission: String(version.commission),
    transaction_at: version.transactionAt,
    updated_at: version.updatedAt,
    recorded_at: recordedAt,
  };
}
