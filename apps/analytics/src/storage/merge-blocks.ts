import { inTransaction } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import { EventColumns } from '../domain/event-columns.js';
import { addEvent, type NamedEvent } from './add-event.js';
import { copyBlocks } from './event-blocks.js';
import { lockSites } from './fold.store.js';

/** Blocks are merged, 32 of a level into one of the next: an event is written anew twice at most. */
const MERGED_AT_ONCE = 32;
/** Of a merged block: as many as a fold has. */
const MOST_EVENTS = 3_000;
/** Of one day, because a block is forgotten as a whole: with its newest event go those of a day before at most. */
const DAY = `date_trunc('day', received_from, 'UTC')`;
const SMALL_BLOCKS = `
  select site_id as "siteId", is_bot as "isBot", level, ${DAY}::text as day from event_blocks where level is not null
  group by site_id, is_bot, level, ${DAY} having count(*) >= ${MERGED_AT_ONCE}`;
const OLDEST = `
  select array_agg(block_id) as "blockIds" from (
    select block_id from event_blocks
    where site_id = $1 and is_bot = $2 and level = $3 and ${DAY} = $4::timestamptz
      and not exists (select from erased_sites where site_id = $1)
    order by block_id limit ${MERGED_AT_ONCE}) oldest`;
const READ = `
  select event_id as "eventId", site_id as "siteId", session_key as "sessionKey", request_key as "requestKey", event_type as "eventType",
    device, is_bot as "isBot", position::float8 as position, (extract(epoch from occurred_at) * 1000000)::float8 as "occurredMicros",
    (extract(epoch from received_at) * 1000000)::float8 as "receivedMicros"
  from events where block_id = any($1::bigint[]) order by block_id`;

interface SmallBlocks {
  readonly siteId: string;
  readonly isBot: boolean;
  readonly level: number;
  readonly day: string;
}

/**
 * Merges the blocks in which events come to a quiet site. Terminates: each merge leaves fewer, and they come by folds, of
 * which a site has a few in a second.
 */
export async function mergeSmallBlocks(pool: Pool, isClosing: () => boolean): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<SmallBlocks>(SMALL_BLOCKS);
    if (rows.length === 0) return;
    for (const blocks of rows) {
      if (isClosing()) return;
      await inTransaction(pool, (client) => mergeBlocks(client, blocks));
    }
  }
}

/** A fold of the site waits meanwhile: an erasure that reads the blocks finds each event in one. */
async function mergeBlocks(client: ClientBase, { siteId, isBot, level, day }: SmallBlocks): Promise<void> {
  // An erasure of the site waits for this transaction, as for a fold.
  await client.query('select erasures_seen()');
  await lockSites(client, new Set([siteId]));
  const found = await client.query<{ blockIds: readonly string[] | null }>(OLDEST, [
    siteId,
    isBot,
    level,
    day,
  ]);
  const blockIds = found.rows[0]?.blockIds ?? [];
  // Another replica has merged them meanwhile.
  if (blockIds.length < MERGED_AT_ONCE) return;
  const values = [blockIds];
  const { rows: events } = await client.query<KeptEvent>(READ, values);
  await client.query('delete from event_blocks where block_id = any($1::bigint[])', values);
  const columns = columnsOf(events);
  const places = [...events.keys()];
  for (let from = 0; from < places.length; from += MOST_EVENTS)
    await copyBlocks(client, columns, { places: places.slice(from, from + MOST_EVENTS), level: level + 1 });
}

type KeptEvent = Omit<NamedEvent, 'products'>;

function columnsOf(events: readonly KeptEvent[]): EventColumns {
  const columns = new EventColumns(events.length);
  for (const event of events) addEvent(columns, { ...event, products: [] });
  return columns;
}
