import type { StoredEventFact } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { formatInstantPrecisely, parseInstant, type Period } from '@truetally/kernel';
import type { Fact, Messaging } from '@truetally/messaging';
import { blockAfter, type BlockPlace, FIRST_BLOCK, inTransaction } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import { CLICK, factOf } from '../track-event/track-event.handler.js';

export interface Republishing {
  readonly pool: Pool;
  readonly messaging: Pick<Messaging, 'publish'>;
  readonly period: Period;
  /** Receives the number of clicks so far, and where a call could begin that goes on from here. */
  readonly onPartition?: (done: { readonly clicks: number; readonly to: string }) => void;
  /** Of the disk in one piece. */
  readonly blocks?: number;
}

/** 256 KiB of rows, and at most some thousand; values that are stored outside of them come to some MiB. */
const BLOCKS = 32;

/**
 * Publishes clicks again from their owner's table, for readers that were away while the topic expired; each of
 * them recognises what it has. Events have no index by type (docs/decisions/deduplication.md), so that the
 * partitions of the period are read block by block, in the order of the disk.
 * @returns how many; the same call may be repeated
 */
export async function republishClicks(options: Republishing): Promise<number> {
  let clicks = 0;
  for (const { table, endsAt } of await partitionsOf(options)) {
    for (let place: BlockPlace | undefined = FIRST_BLOCK; place !== undefined;) {
      const piece = await readPiece(options, table, place);
      await options.messaging.publish(piece.facts);
      clicks += piece.facts.length;
      place = piece.next;
    }
    const { to } = options.period;
    options.onPartition?.({ clicks, to: endsAt < to ? endsAt : to });
  }
  return clicks;
}

interface Partition {
  readonly table: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly endsAt: string;
}

/** As their owner formatted them first. */
const INSTANT = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

async function partitionsOf({ pool, period }: Republishing): Promise<readonly Partition[]> {
  const { rows } = await pool.query<Partition>(
    `select quote_ident(table_name) as table, to_char(ends_at, ${INSTANT}) as "endsAt"
     from event_partitions where ends_at > $1 and starts_at < $2 order by starts_at`,
    [period.from, period.to],
  );
  return rows;
}

type ClickRow = StoredEventFact & { readonly properties: string; readonly context: string };

interface Piece {
  readonly facts: readonly Fact[];
  readonly next: BlockPlace | undefined;
}

function readPiece(options: Republishing, table: string, place: BlockPlace): Promise<Piece> {
  const { pool, period, blocks = BLOCKS } = options;
  return inTransaction(pool, async (client) => {
    const rows = await readBlocks(client, table, {
      ...period,
      first: place.block,
      end: place.block + blocks,
    });
    return { facts: rows.map(clickOf), next: await blockAfter(client, [table], place, blocks) };
  });
}

interface BlockRange extends Period {
  readonly first: number;
  readonly end: number;
}

/** JSON as text, so that each fact has the digits that were published first. */
async function readBlocks(
  client: ClientBase,
  table: string,
  { from, to, first, end }: BlockRange,
): Promise<readonly ClickRow[]> {
  const { rows } = await client.query<ClickRow>(
    `select event_id, site_id, event_type, session_id, user_id, device_id, client_event_id, trust, is_bot, request_id,
       to_char(occurred_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as occurred_at,
       to_char(received_at, ${INSTANT}) as received_at, properties::text, context::text
     from ${table} e
     where ctid >= $1::tid and ctid < $2::tid and event_type = '${CLICK}' and received_at >= $3 and received_at < $4
       and not exists (select from erased_sites s where s.site_id = e.site_id)`,
    [`(${first},0)`, `(${end},0)`, from, to],
  );
  return rows;
}

function clickOf({ properties, context, ...row }: ClickRow): Fact {
  const occurred = parseInstant(row.occurred_at);
  if (occurred === undefined) throw new Error(`Event ${row.event_id} occurred at no instant.`);
  const event = { ...row, occurred_at: formatInstantPrecisely(occurred) };
  return factOf(TOPICS.clicksStored.name, event, properties, context);
}
