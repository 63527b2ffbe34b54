import { arrayLiteral } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import { type KnownReference, referenceKey } from '../domain/fold-facts.js';
import { CLICK_COLUMNS, type ClickRow, toClickFact } from './click-rows.js';
import { byteaOf } from './columns.js';

/** A reference's look-up key: its keyed hash, and its network. */
export interface ReferenceName {
  readonly hash: string;
  readonly provider: string;
}

/** By the index: a reference that is repeated without end costs as much as any. */
const FIRST_CLICKS = `
  select encode(asked.hash, 'hex') as hash, found.*
  from unnest($1::bytea[], $2::text[]) as asked (hash, provider)
  cross join lateral (select from click_references r where r.hash = asked.hash and r.counted_at is not null limit 1) told
  cross join lateral (
    select ${CLICK_COLUMNS} from click_references r join clicks c using (event_id)
    where r.hash = asked.hash and r.counted_at is not null and c.provider = asked.provider
    order by r.counted_at, r.event_id limit 1) found`;
const SETTLED = `
  select encode(asked.hash, 'hex') as hash, asked.provider
  from unnest($1::bytea[], $2::text[]) as asked (hash, provider)
  where exists (select from settlements s where s.reference_hash = asked.hash and s.provider = asked.provider)`;

/** The current state of references, by `referenceKey`. */
export async function readReferences(
  client: ClientBase,
  names: readonly ReferenceName[],
): Promise<ReadonlyMap<string, KnownReference>> {
  if (names.length === 0) return new Map();
  const values = arraysOfNames(names);
  const [{ rows }, settled] = await Promise.all([
    client.query<ClickRow & { readonly hash: string }>(FIRST_CLICKS, values),
    readSettled(client, names),
  ]);
  const first = new Map(rows.map((row) => [referenceKey(row.hash, row.provider), toClickFact(row)]));
  return new Map(
    names.map(({ hash, provider }) => {
      const key = referenceKey(hash, provider);
      return [key, { first: first.get(key), isSettled: settled.has(key) }] as const;
    }),
  );
}

/** The ones that a settlement currently names. */
export async function readSettled(
  client: ClientBase,
  names: readonly ReferenceName[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const { rows } = await client.query<ReferenceName>(SETTLED, arraysOfNames(names));
  return new Set(rows.map(({ hash, provider }) => referenceKey(hash, provider)));
}

/** Query parameters for references: one array of hashes, and one of networks. */
export function arraysOfNames(names: readonly ReferenceName[]): string[] {
  const hashes = names.map(({ hash }) => byteaOf(hash));
  return [arrayLiteral(hashes), arrayLiteral(names.map(({ provider }) => provider))];
}
