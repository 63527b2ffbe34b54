import { arrayLiteral } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import { type KnownReference, referenceKey } from '../domain/fold-facts.js';
import type { ClickFact } from '../domain/report-changes.js';
import { CLICK_COLUMNS, type ClickRow, toClickFact } from './click-rows.js';
import { byteaOf } from './columns.js';

/** A reference's look-up key: its keyed hash, and its network. */
export interface ReferenceName {
  readonly hash: string;
  readonly provider: string;
}

/** Two clicks show ambiguity; more change nothing. */
const MOST_CLICKS = 2;
const CLICKS_OF = `
  select encode(asked.hash, 'hex') as hash, found.*
  from unnest($1::bytea[], $2::text[]) as asked (hash, provider)
  cross join lateral (
    select ${CLICK_COLUMNS} from click_references r join clicks c using (event_id)
    where r.hash = asked.hash and c.provider = asked.provider and not c.is_bot limit ${MOST_CLICKS}) found`;
const SETTLED = `
  select encode(asked.hash, 'hex') as hash, asked.provider
  from unnest($1::bytea[], $2::text[]) as asked (hash, provider)
  where exists (select from settlements s where s.reference_hash = asked.hash and s.provider = asked.provider)`;

/**
 * The current state of references, by `referenceKey`.
 * @param mayMove by its clicks, whether it matters that a reference is settled: of others `isSettled` is false
 */
export async function readReferences(
  client: ClientBase,
  names: readonly ReferenceName[],
  mayMove: (clicks: readonly ClickFact[]) => boolean,
): Promise<ReadonlyMap<string, KnownReference>> {
  if (names.length === 0) return new Map();
  const clicks = new Map<string, ClickFact[]>();
  const { rows } = await client.query<ClickRow & { readonly hash: string }>(CLICKS_OF, arraysOfNames(names));
  for (const row of rows) {
    const key = referenceKey(row.hash, row.provider);
    clicks.set(key, [...(clicks.get(key) ?? []), toClickFact(row)]);
  }
  const movable = names.filter(({ hash, provider }) =>
    mayMove(clicks.get(referenceKey(hash, provider)) ?? []),
  );
  const settled = await readSettled(client, movable);
  return new Map(
    names.map(({ hash, provider }) => {
      const key = referenceKey(hash, provider);
      return [key, { clicks: clicks.get(key) ?? [], isSettled: settled.has(key) }] as const;
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
