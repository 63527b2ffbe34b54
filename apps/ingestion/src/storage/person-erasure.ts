import type { JobStepReport } from '@truetally/contracts/jobs';
import {
  blockAfter,
  type BlockPlace,
  erasePersonKey,
  FIRST_BLOCK,
  formatBlockPlace,
  parseBlockPlace,
  untilWritersEnded,
} from '@truetally/persistence';
import { TOPICS } from '@truetally/contracts/topics';
import { INGESTION } from '@truetally/contracts/events';
import { groupOfTopic, type Messaging } from '@truetally/messaging';
import {
  afterReading,
  erasureReport,
  type ErasesPeople,
  PersonErasure,
  type PersonPiece,
} from '@truetally/service';
import type { ClientBase, Pool } from 'pg';

/** The cursor after both passes. */
const END = 'end';
/** 4 MiB of a partition: its sessions fit into one report. */
const BLOCKS = 512;
/** A pass, the start of its partition, and the place in it. */
const PLACE = /^(person|sessions)\/([^/]+)\/(.+)$/;
type Pass = 'person' | 'sessions';

/**
 * Deletes a person's events in two passes over all partitions: those that name the person, whose sessions it keeps, and
 * then those of these sessions that name nobody. The sessions and clicks are reported for the other services, which
 * know people by them alone. Those are asked next: before, each event that was stored until then is published, as a request is
 * committed to its group only when the facts of its events are in Kafka. A fact that came later they would keep.
 */
export function eventErasureOfPerson(
  pool: Pool,
  messaging: Pick<Messaging, 'lag'>,
  waitMs?: number,
): ErasesPeople {
  const groups = [{ group: groupOfTopic(INGESTION.name, TOPICS.trackEvent.name) }];
  return afterReading({ messaging, groups, at: END, waitMs }, new PersonErasure(pool, eraseNext));
}

async function eraseNext(
  client: ClientBase,
  asked: PersonPiece,
  cursor: string | null,
): Promise<JobStepReport> {
  if (cursor === END) return forget(client, asked);
  if (cursor === null)
    return erasureReport({ cursor: await placeAfter(client, 'person', '-infinity', asked) });
  // The whole site was erased meanwhile.
  if (!(await isMarked(client, asked))) return erasureReport({ cursor: END });
  const [, pass, startsAt = '', place = ''] = PLACE.exec(cursor) ?? [];
  const from = parseBlockPlace(place);
  if (from === undefined || (pass !== 'person' && pass !== 'sessions')) {
    throw new Error('The cursor is none of these steps’.');
  }
  return eraseBlocks(client, asked, { pass, startsAt, from });
}

async function isMarked(client: ClientBase, { person }: PersonPiece): Promise<boolean> {
  const { rows } = await client.query<{ marked: boolean }>('select is_erased_person($1, $2) as marked', [
    person.siteId,
    person.userId,
  ]);
  return rows[0]?.marked === true;
}

interface Blocks {
  readonly pass: Pass;
  readonly startsAt: string;
  readonly from: BlockPlace;
}

async function eraseBlocks(
  client: ClientBase,
  asked: PersonPiece,
  { pass, startsAt, from }: Blocks,
): Promise<JobStepReport> {
  const { rows } = await client.query<{ erased: number; subjects: string[]; table_name: string | null }>(
    `select erased::float8 as erased, subjects,
       (select quote_ident(table_name) from event_partitions where starts_at = $3) as table_name
     from ${pass === 'person' ? 'erase_events_of_person($1, $2, $6, $3, $4, $5)' : 'erase_events_of_sessions($1, $2, $3, $4, $5)'}`,
    [
      ...[asked.erasureId, asked.person.siteId, startsAt, from.block, BLOCKS],
      ...(pass === 'person' ? [asked.person.userId] : []),
    ],
  );
  const { erased = 0, subjects = [], table_name: table = null } = rows[0] ?? {};
  // Without a table the partition was dropped meanwhile.
  const next = table === null ? undefined : await blockAfter(client, [table], from, BLOCKS);
  const cursor =
    next === undefined ? await placeAfter(client, pass, startsAt, asked) : placeOf(pass, startsAt, next);
  return erasureReport({ cursor, found: erased, done: erased, subjects });
}

/** The start of the next partition; after the last one the second pass, and then nothing. */
async function placeAfter(
  client: ClientBase,
  pass: Pass,
  startsAt: string,
  asked: PersonPiece,
): Promise<string> {
  const { rows } = await client.query<{ starts_at: string }>(
    'select starts_at::text from event_partitions where starts_at > $1 order by starts_at limit 1',
    [startsAt],
  );
  if (rows[0] !== undefined) return placeOf(pass, rows[0].starts_at, FIRST_BLOCK);
  if (pass === 'person' && (await hasSessions(client, asked))) {
    return placeAfter(client, 'sessions', '-infinity', asked);
  }
  return END;
}

/**
 * The sessions are management's now, and no stored report names them any more. What was read before it was deleted, to be published
 * again, is published first.
 */
async function forget(client: ClientBase, { jobId, erasureId }: PersonPiece): Promise<JobStepReport> {
  await untilWritersEnded(client);
  await client.query('delete from erased_sessions where erasure_id = $1', [erasureId]);
  await client.query(`delete from inbox where split_part(correlation_id, '/', 1) = $1`, [jobId]);
  return erasureReport({ cursor: null });
}

async function hasSessions(client: ClientBase, { erasureId }: PersonPiece): Promise<boolean> {
  const { rowCount } = await client.query('select from erased_sessions where erasure_id = $1 limit 1', [
    erasureId,
  ]);
  return rowCount !== 0;
}

function placeOf(pass: Pass, startsAt: string, place: BlockPlace): string {
  return `${pass}/${startsAt}/${formatBlockPlace(place)}`;
}

/** A deleted site's people: what is left of their erasures means nothing without the key. */
export async function erasePeopleOfSite(client: ClientBase, siteId: string): Promise<void> {
  await erasePersonKey(client, siteId);
  await client.query('delete from erased_sessions where site_id = $1', [siteId]);
}
