import { FIRST_PREVIOUS_HASH } from '@truetally/contracts/attribution';
import { arrayLiteral } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import type { InstantColumn } from '../domain/instants.js';
import type { ChainHead } from '../domain/seal-entries.js';

/** The head of a chain, locked until the transaction ends, and the time of new records. */
export interface HeldHead {
  readonly head: ChainHead;
  readonly recordedAt: InstantColumn;
}

const HOLD_HEADS = `
  select site_id, chain_sequence::text, hash, recorded_at::text,
    greatest(recorded_at, date_trunc('milliseconds', clock_timestamp()))::text as now
  from chain_heads where site_id = any($1::uuid[]) order by site_id for update`;

interface HeadRow {
  readonly site_id: string;
  readonly chain_sequence: string;
  readonly hash: string;
  readonly recorded_at: string;
  readonly now: string;
}

/** Locks the heads of these sites' chains, in the order of sites. Time never decreases along a chain. */
export async function holdHeads(
  client: ClientBase,
  siteIds: readonly string[],
): Promise<Map<string, HeldHead>> {
  const { rows } = await client.query<HeadRow>({
    name: 'hold-heads',
    text: HOLD_HEADS,
    values: [arrayLiteral(siteIds)],
  });
  return new Map(
    rows.map((row) => [
      row.site_id,
      {
        head: { sequence: BigInt(row.chain_sequence), hash: row.hash, recordedAt: row.recorded_at },
        recordedAt: row.now,
      },
    ]),
  );
}

/**
 * Creates the chains of new sites, in a separate transaction: waiting for an uncommitted insert would break
 * the lock order of heads.
 */
export async function beginChains(pool: Pool, siteIds: readonly string[]): Promise<void> {
  await pool.query(
    `insert into chain_heads (site_id, chain_sequence, hash, recorded_at)
     select site_id, 0, $2, '0001-01-01 00:00:00+00' from unnest($1::uuid[]) as site_id order by site_id
     on conflict do nothing`,
    [siteIds, FIRST_PREVIOUS_HASH],
  );
}

const MOVE_HEADS = `
  update chain_heads head set chain_sequence = moved.sequence, hash = moved.hash, recorded_at = moved.recorded_at
  from unnest($1::uuid[], $2::bigint[], $3::text[], $4::timestamptz[]) as moved (site_id, sequence, hash, recorded_at)
  where head.site_id = moved.site_id`;

/** Of chains whose heads are held. */
export async function moveHeads(client: ClientBase, heads: ReadonlyMap<string, ChainHead>): Promise<void> {
  const moved = [...heads.values()];
  await client.query({
    name: 'move-heads',
    text: MOVE_HEADS,
    values: [
      arrayLiteral([...heads.keys()]),
      arrayLiteral(moved.map(({ sequence }) => String(sequence))),
      arrayLiteral(moved.map(({ hash }) => hash)),
      arrayLiteral(moved.map(({ recordedAt }) => recordedAt)),
    ],
  });
}
