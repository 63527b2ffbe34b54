import type { LedgerRow } from '@truetally/contracts/attribution';
import { inTransaction } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import { CHAIN_START, type ChainPiece, type ChainPlace, type KeptSeal } from '../domain/check-piece.js';
import { RECORD_TEXTS } from './chain.store.js';

/** Records of one piece: those of 500 lines have some 12 MB, usual ones take ten milliseconds. */
const PIECE_RECORDS = 200;

const SNAPSHOT = 'set transaction isolation level repeatable read, read only';
const READ_HEAD = `select chain_sequence::text as sequence, hash from chain_heads where site_id = $1`;
const READ_PIECE = `
  select ${RECORD_TEXTS}, r.previous_hash, r.hash from records r
  where r.site_id = $1 and r.chain_sequence >= $2::bigint order by r.chain_sequence limit $3`;
/** With the record of the same place, so that two of them are found, whatever constraints there are. */
const READ_BEFORE = `
  select ${RECORD_TEXTS}, r.previous_hash, r.hash
  from unnest($3::uuid[], $4::integer[]) as first (conversion_id, order_sequence)
  join records r on r.conversion_id = first.conversion_id
    and r.order_sequence between first.order_sequence - 1 and first.order_sequence
  where r.site_id = $1 and r.chain_sequence < $2::bigint
  order by r.order_sequence`;

/** Reads chains piece by piece, each in one snapshot. */
export class ChainPieceStore {
  constructor(
    private readonly pool: Pool,
    private readonly pieceRecords = PIECE_RECORDS,
  ) {}

  read(siteId: string, place: ChainPlace): Promise<ChainPiece> {
    return inTransaction(this.pool, async (client) => {
      await client.query(SNAPSHOT);
      const heads = await client.query<KeptSeal>(READ_HEAD, [siteId]);
      const isFirst = place.sequence === CHAIN_START.sequence;
      const limit = this.pieceRecords + (isFirst ? 0 : 1);
      // A record below the first place is read too, and is a fault.
      const from = isFirst ? SMALLEST : place.sequence;
      const { rows } = await client.query<LedgerRow>(READ_PIECE, [siteId, from, limit]);
      const fresh = isFirst ? rows : rows.slice(1);
      return {
        siteId,
        head: heads.rows[0] ?? null,
        rows,
        before: await readBefore(client, siteId, fresh),
        isEnd: rows.length < limit,
      };
    });
  }
}

const SMALLEST = String(-(2n ** 63n));

async function readBefore(
  client: ClientBase,
  siteId: string,
  rows: readonly LedgerRow[],
): Promise<readonly LedgerRow[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const firsts = new Map<string | null, LedgerRow>();
  for (const row of rows) if (!firsts.has(row.conversion_id)) firsts.set(row.conversion_id, row);
  const before = await client.query<LedgerRow>(READ_BEFORE, [
    siteId,
    first.chain_sequence,
    [...firsts.keys()],
    [...firsts.values()].map(({ order_sequence }) => order_sequence),
  ]);
  return before.rows;
}
