import type { StoredEventFact } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { formatInstantPrecisely, parseInstant, type Period } from '@truetally/kernel';
import type { Fact, Messaging } from '@truetally/messaging';
import { blockAfter, type BlockPlace, FIRST_BLOCK, inTransaction } from '@truetally/persistence';
import type { AskedAgain } from '@truetally/service';
import type { ClientBase } from 'pg';
import { CLICK, factOf } from '../track-event/track-event.handler.js';

export interface Republishing extends Pick<AskedAgain, 'pool' | 'period' | 'onPiece'> {
  readonly messaging: Pick<Messaging, 'publish'>;
  /** Of the disk in one piece. */
  readonly blocks?: number;
}

/** 256 KiB of rows, and at most some thousand. */
const BLOCKS = 32;
/** Their contents may be stored outside of them, up to 64 KB each, which together are more than the program's memory. */
const ROWS_PER_FETCH = 50;
const LENGTH_PER_SEND = 2_097_152;

/** Of which topic, and which rows of which partitions are its facts. */
interface Kind {
  readonly topic: string;
  readonly which: string;
  readonly partitions: string;
}

const CLICKS: Kind = {
  topic: TOPICS.clicksStored.name,
  which: `event_type = '${CLICK}'`,
  partitions: 'true',
};
/** What is left of events whose content is forgotten is no fact. */
const EVENTS: Kind = { topic: TOPICS.eventsStored.name, which: 'true', partitions: 'has_content' };

/** Publishes events again. @returns how many */
export const republishEvents = (options: Republishing): Promise<number> => republishKind(options, EVENTS);

/** Publishes clicks again in the topic that they have besides. @returns how many */
export const republishClicks = (options: Republishing): Promise<number> => republishKind(options, CLICKS);

/**
 * Events have no index by type, or by time in a partition (docs/decisions/deduplication.md), so that the partitions of the period
 * are read block by block, in the order of the disk. As when they were stored they need no outbox.
 */
async function republishKind(options: Republishing, kind: Kind): Promise<number> {
  let facts = 0;
  for (const { table, endsAt } of await partitionsOf(options, kind)) {
    for (let place: BlockPlace | undefined = FIRST_BLOCK; place !== undefined;) {
      const piece = await publishPiece(options, kind, { table, place });
      facts += piece.facts;
      place = piece.next;
    }
    const { to } = options.period;
    options.onPiece?.({ facts, to: endsAt < to ? endsAt : to });
  }
  return facts;
}

interface Partition {
  readonly table: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly endsAt: string;
}

/** As their owner formatted them first. */
const INSTANT = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

async function partitionsOf(
  { pool, period }: Republishing,
  { partitions }: Kind,
): Promise<readonly Partition[]> {
  const { rows } = await pool.query<Partition>(
    `select quote_ident(table_name) as table, to_char(ends_at, ${INSTANT}) as "endsAt"
     from event_partitions where ends_at > $1 and starts_at < $2 and ${partitions} order by starts_at`,
    [period.from, period.to],
  );
  return rows;
}

type EventRow = StoredEventFact & { readonly properties: string; readonly context: string };

interface Piece {
  readonly facts: number;
  readonly next: BlockPlace | undefined;
}

/** Published before its transaction ends, for which an erasure waits: nothing of a person comes to others behind it. */
function publishPiece(
  { pool, messaging, period, blocks = BLOCKS }: Republishing,
  { topic, which }: Kind,
  { table, place }: { readonly table: string; readonly place: BlockPlace },
): Promise<Piece> {
  return inTransaction(pool, async (client) => {
    await client.query('select erasures_seen()');
    const range = { ...period, first: place.block, end: place.block + blocks };
    await openBlocks(client, { table, which }, range);
    let rows: readonly EventRow[];
    let facts = 0;
    let [waiting, length]: [Fact[], number] = [[], 0];
    do {
      ({ rows } = await client.query<EventRow>(`fetch ${ROWS_PER_FETCH} from events_again`));
      facts += rows.length;
      for (const row of rows) {
        waiting.push(factAgain(topic, row));
        length += row.properties.length + row.context.length;
      }
      if (length < LENGTH_PER_SEND && rows.length === ROWS_PER_FETCH) continue;
      await messaging.publish(waiting);
      [waiting, length] = [[], 0];
    } while (rows.length === ROWS_PER_FETCH);
    await client.query('close events_again');
    return { facts, next: await blockAfter(client, [table], place, blocks) };
  });
}

interface BlockRange extends Period {
  readonly first: number;
  readonly end: number;
}

/** JSON as text, so that each fact has the digits that were published first. */
async function openBlocks(
  client: ClientBase,
  { table, which }: { readonly table: string; readonly which: string },
  { from, to, first, end }: BlockRange,
): Promise<void> {
  await client.query(
    `declare events_again no scroll cursor for
     select event_id, site_id, event_type, session_id, user_id, device_id, client_event_id, trust, is_bot, request_id,
       to_char(occurred_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as occurred_at,
       to_char(received_at, ${INSTANT}) as received_at, properties::text, context::text
     from ${table} e
     where ctid >= $1::tid and ctid < $2::tid and ${which} and received_at >= $3 and received_at < $4
       and not exists (select from erased_sites s where s.site_id = e.site_id)`,
    [`(${first},0)`, `(${end},0)`, from, to],
  );
}

function factAgain(topic: string, { properties, context, ...row }: EventRow): Fact {
  const occurred = parseInstant(row.occurred_at);
  if (occurred === undefined) throw new Error(`Event ${row.event_id} occurred at no instant.`);
  const event = { ...row, occurred_at: formatInstantPrecisely(occurred) };
  return factOf(topic, event, properties, context);
}
