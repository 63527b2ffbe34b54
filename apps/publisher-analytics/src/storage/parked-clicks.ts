import type { ClientBase, Pool } from 'pg';
import type { ClickFact } from '../domain/report-changes.js';
import { arrayParameters, arraysOf, byteaOf, type Columns, namesOf } from './columns.js';

/** A click's reference on its way into its table. */
export interface ReferenceFact {
  readonly eventId: string;
  readonly siteId: string;
  /** 64 hexadecimal digits. */
  readonly hash: string;
  readonly keyId: string;
  readonly sealed: Buffer;
}

/** The facts of one transaction, in any order, with possible repetitions. */
export interface ToldClicks {
  readonly clicks: readonly ClickFact[];
  readonly references: readonly ReferenceFact[];
}

/** A parked fact: of a click, or of a reference with the three last columns. */
interface ParkedRow {
  readonly site_id: string;
  readonly event_id: string;
  readonly click: string | null;
  readonly hash: string | null;
  readonly key_id: string | null;
  readonly sealed: string | null;
}

const PARKED_TABLE: Columns<ParkedRow> = [
  ['site_id', 'uuid'],
  ['event_id', 'uuid'],
  ['click', 'json'],
  ['hash', 'bytea'],
  ['key_id', 'text'],
  ['sealed', 'bytea'],
];
const PARK = `insert into parked_clicks (${namesOf(PARKED_TABLE)})
  select * from unnest(${arrayParameters(PARKED_TABLE)})`;
const TAKE = `
  with taken as (delete from parked_clicks where id = any (array(
    select id from parked_clicks where site_id = $1 order by id limit $2)) returning *)
  select site_id, event_id, click, encode(hash, 'hex') as hash, key_id, sealed from taken order by id`;
/** In memory at a time, as many as come from Kafka. */
const FACTS_AT_A_TIME = 4_000;
const SITES_AT_A_TIME = 100;

/** Parks facts behind those of their sites, in the transaction that found these sites busy. */
export async function parkClicks(client: ClientBase, { clicks, references }: ToldClicks): Promise<void> {
  const rows: readonly ParkedRow[] = [
    ...clicks.map((click) => ({
      ...NO_REFERENCE,
      site_id: click.siteId,
      event_id: click.eventId,
      click: JSON.stringify(click),
    })),
    ...references.map(({ siteId, eventId, hash, keyId, sealed }) => ({
      site_id: siteId,
      event_id: eventId,
      click: null,
      hash: byteaOf(hash),
      key_id: keyId,
      sealed: byteaOf(sealed.toString('hex')),
    })),
  ];
  if (rows.length > 0) await client.query(PARK, arraysOf(PARKED_TABLE, rows));
}

const NO_REFERENCE = { hash: null, key_id: null, sealed: null };

/** Takes a site's oldest ones out, in a transaction that has locked the site. */
export async function takeParked(client: ClientBase, siteId: string): Promise<ToldClicks> {
  const { rows } = await client.query<TakenRow>(TAKE, [siteId, FACTS_AT_A_TIME]);
  const clicks = rows.flatMap(({ click }) => click ?? []);
  const references = rows.flatMap(({ site_id, event_id, hash, key_id, sealed }) =>
    hash === null || key_id === null || sealed === null
      ? []
      : [{ eventId: event_id, siteId: site_id, hash, keyId: key_id, sealed }],
  );
  return { clicks, references };
}

interface TakenRow extends Omit<ParkedRow, 'click' | 'sealed'> {
  readonly click: ClickFact | null;
  readonly sealed: Buffer | null;
}

/** Sites with parked facts that can be counted, some of them; in the order in which they began to wait. */
export async function sitesWithParked(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ site_id: string }>(
    `select site_id from parked_clicks p
     where not exists (select from reference_renamings n where n.site_id = p.site_id) group by 1 order by min(id) limit $1`,
    [SITES_AT_A_TIME],
  );
  return rows.map((row) => row.site_id);
}

/** Whether one of these events is parked. */
export async function isParked(client: ClientBase, eventIds: readonly string[]): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from parked_clicks where event_id = any($1::uuid[]) limit 1',
    [eventIds],
  );
  return rowCount === 1;
}
