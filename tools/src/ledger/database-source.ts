import { RECORD_COLUMNS, type ChainHead, type LedgerRow } from '@truetally/contracts/attribution';
import { connectionOf, GuardedClient } from '@truetally/persistence';
import type pg from 'pg';
import { type LedgerSource } from './ledger-source.js';

export interface LedgerAddress {
  /** Of a role that may read the ledger. */
  readonly databaseUrl: string;
  readonly schema: string;
}

/** A record of 500 lines has some 60 KB. */
const PAGE_ROWS = 1_000;
const FIRST_SITE = '00000000-0000-0000-0000-000000000000';

/** Values stay the text that Postgres sends, because the seal covers that text. */
const AS_TEXT: pg.CustomTypesConfig = { getTypeParser: () => (text: string) => text };

const PAGE = `
  select ${RECORD_COLUMNS.join(', ')}, previous_hash, hash from records
  where (site_id, chain_sequence) > ($1::uuid, $2::bigint) order by site_id, chain_sequence limit ${PAGE_ROWS}`;

/** The ledger in one snapshot, however long reading takes and whatever is recorded meanwhile. */
export async function openDatabase({ databaseUrl, schema }: LedgerAddress): Promise<LedgerSource> {
  const client = new GuardedClient({
    ...connectionOf(databaseUrl),
    application_name: 'ledger-verify',
    options: `-c search_path=${schema} -c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres`,
    types: AS_TEXT,
  });
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    const counted = await client.query<{ records: string; orders: string }>(
      `select count(*) as records, count(*) filter (where order_sequence = 1) as orders from records`,
    );
    const heads = await client.query<ChainHead & Record<string, string>>(
      'select site_id, chain_sequence as sequence, hash from chain_heads order by site_id',
    );
    return {
      records: Number(counted.rows[0]?.records),
      orders: Number(counted.rows[0]?.orders),
      heads: heads.rows,
      batches: () => pages(client),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** Requests the next page before it yields the current one: Postgres reads while rows are verified. */
async function* pages(client: pg.Client): AsyncIterable<readonly LedgerRow[]> {
  let next = page(client, [FIRST_SITE, '0']);
  for (;;) {
    const rows = await next;
    const last = rows.at(-1);
    if (last === undefined) return;
    next = page(client, [last.site_id, last.chain_sequence]);
    // A reader that stops early must not leave an unhandled rejection.
    next.catch(() => undefined);
    yield rows;
  }
}

async function page(client: pg.Client, values: readonly (string | null)[]): Promise<readonly LedgerRow[]> {
  const { rows } = await client.query<LedgerRow>({ name: 'page', text: PAGE, values: [...values] });
  return rows;
}
