import type { Variant } from '@truetally/contracts/experiments';
import type { ClientBase } from 'pg';
import { type Account, accountOf, type Sums } from '../domain/account.js';
import {
  ACCOUNT_TEXTS,
  HOUR_TEXTS,
  type HourTexts,
  hourSumsOf,
  SUM_TEXTS,
  type SumTexts,
  sumsOf,
} from './account-columns.js';

const SESSIONS_AT_ONCE = 1_000;

/** The stored account of a session. */
export interface StoredAccount {
  readonly assignmentId: string;
  readonly account: Account;
}

/** Stored values by their name: `day 2026-01-31`, or a currency. */
export type Named = readonly (readonly [name: string, value: string])[];

/** All stored sums of one experiment. */
interface StoredSums {
  readonly arms: ReadonlyMap<string, Sums>;
  /** By arm and hour, in epoch milliseconds: `control 1769846400000`. */
  readonly hours: ReadonlyMap<string, Sums>;
  /** Sessions of control and treatment: `12/15`. */
  readonly parts: Named;
  /** Orders by currency. */
  readonly currencies: Named;
}

/** Ids of all experiments, in order. */
export async function readExperimentIds(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ experiment_id: string }>(
    'select experiment_id from experiments order by experiment_id',
  );
  return rows.map((row) => row.experiment_id);
}

/** The number of assignments without a folded account. */
export async function countUnfolded(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ unfolded: number }>(
    `select count(*)::float8 as unfolded from assignments a
     where not exists (select from session_results s where s.assignment_id = a.assignment_id)`,
  );
  return rows[0]?.unfolded ?? 0;
}

/** The next accounts of an experiment after an id, at most 1,000; empty at the end. */
export async function readAccountsAfter(
  client: ClientBase,
  experimentId: string,
  after: string,
): Promise<readonly StoredAccount[]> {
  const { rows } = await client.query<{ assignment_id: string } & Record<keyof Account, string>>(
    `select assignment_id, ${ACCOUNT_TEXTS} from session_results
     where experiment_id = $1 and assignment_id > $2 order by assignment_id limit ${SESSIONS_AT_ONCE}`,
    [experimentId, after],
  );
  return rows.map((row) => ({
    assignmentId: row.assignment_id,
    account: accountOf((field) => BigInt(row[field])),
  }));
}

/** Every stored sum of an experiment. */
export async function readStoredSums(client: ClientBase, experimentId: string): Promise<StoredSums> {
  const arms = await client.query<SumTexts & { readonly variant: Variant }>(
    `select variant, ${SUM_TEXTS} from arm_sums where experiment_id = $1`,
    [experimentId],
  );
  const hours = await client.query<HourTexts & { readonly variant: Variant; readonly hour: Date }>(
    `select variant, hour, ${HOUR_TEXTS} from hour_sums where experiment_id = $1`,
    [experimentId],
  );
  const parts = await client.query<{ dimension: string; value: string; control: string; treatment: string }>(
    `select dimension, value, control::text, treatment::text from sample_parts where experiment_id = $1`,
    [experimentId],
  );
  const currencies = await client.query<{ currency: string; orders: string }>(
    `select currency, orders::text from other_currency_orders where experiment_id = $1`,
    [experimentId],
  );
  return {
    arms: new Map(arms.rows.map((row) => [row.variant, sumsOf(row)])),
    hours: new Map(hours.rows.map((row) => [`${row.variant} ${row.hour.getTime()}`, hourSumsOf(row)])),
    parts: parts.rows.map((row) => [`${row.dimension} ${row.value}`, `${row.control}/${row.treatment}`]),
    currencies: currencies.rows.map(({ currency, orders }) => [currency, orders]),
  };
}
