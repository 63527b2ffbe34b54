import type { RecordedTouchFact } from '@truetally/contracts/facts';
import { ErasedSites, inHotTransaction } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import type { TouchClaim } from '../domain/decide-assignments.js';
import type { KnownTouch } from '../domain/eligibility.js';
import { sessionKeyOf, touchKeyOf } from '../domain/names.js';

const erasedSites = new ErasedSites();

/** Stores touches, each once; none of erased sites. */
export async function keepTouches(pool: Pool, touches: readonly RecordedTouchFact[]): Promise<void> {
  await inHotTransaction<{ erasures: string }, undefined>(
    pool,
    'select erasures_seen() as erasures',
    async (client, [opened]) => {
      const erased = await erasedSites.at(client, opened?.erasures ?? '0');
      await insertTouches(
        client,
        touches.filter(({ site_id }) => !erased.has(site_id)),
      );
      return { value: undefined, closing: '' };
    },
  );
}

async function insertTouches(client: ClientBase, touches: readonly RecordedTouchFact[]): Promise<void> {
  await client.query({
    name: 'keep-touches',
    text: `insert into touches (touch_key, session_key, site_id, provider, partner_id, occurred_at)
      select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[])
      on conflict do nothing`,
    values: [
      touches.map(({ site_id, touch_id }) => touchKeyOf(site_id, touch_id)),
      touches.map(({ site_id, session_id }) =>
        session_id === null ? null : sessionKeyOf(site_id, session_id),
      ),
      touches.map(({ site_id }) => site_id),
      touches.map(({ provider }) => provider),
      touches.map(({ partner_id }) => partner_id),
      touches.map(({ occurred_at }) => occurred_at),
    ],
  });
}

/** Per session: more do not matter, and an unbounded list would be read with every request. */
const MAX_TOUCHES_OF_SESSION = 200;

interface TouchRow {
  readonly name: string;
  readonly touch_key: string;
  readonly owner: string | null;
  readonly provider: string;
  readonly partner_id: string | null;
}

/** Touches by their session's key, or by their own key; of each session the earliest, in order. */
export async function readTouches(
  client: Pick<ClientBase, 'query'>,
  sessionKeys: readonly string[],
  touchKeys: readonly string[],
): Promise<ReadonlyMap<string, readonly KnownTouch[]>> {
  const { rows } = await client.query<TouchRow>({
    name: 'read-touches',
    text: `select asked.key as name, t.touch_key, t.session_key as owner, t.provider, t.partner_id from unnest($1::uuid[]) as asked (key)
      cross join lateral (
        select * from touches t where t.session_key = asked.key
        order by t.occurred_at, t.touch_key limit ${MAX_TOUCHES_OF_SESSION}
      ) t
      union all
      select asked.key, t.touch_key, coalesce(t.session_key, t.claimed_by), t.provider, t.partner_id from unnest($2::uuid[]) as asked (key)
      cross join lateral (select * from touches t where t.touch_key = asked.key limit 1) t`,
    values: [sessionKeys, touchKeys],
  });
  const found = new Map<string, KnownTouch[]>();
  for (const { name, touch_key: key, owner, provider, partner_id: partnerId } of rows) {
    const list = found.get(name) ?? [];
    list.push({ key, owner, provider, partnerId });
    found.set(name, list);
  }
  return found;
}

/**
 * Gives touches that name no session to the first session that is assigned by each. In the order of keys, which prevents deadlocks.
 * @returns the keys of those that became what was claimed
 */
export async function claimTouches(
  client: Pick<ClientBase, 'query'>,
  claims: readonly TouchClaim[],
): Promise<ReadonlySet<string>> {
  if (claims.length === 0) return new Set();
  const sessions = new Map(claims.map(({ touchKey, sessionKey }) => [touchKey, sessionKey]));
  const { rows } = await client.query<{ touch_key: string }>({
    name: 'claim-touches',
    text: `with held as (
        select t.touch_key, claim.session_key from unnest($1::uuid[], $2::uuid[]) as claim (touch_key, session_key)
        join touches t using (touch_key)
        where t.session_key is null and (t.claimed_by is null or t.claimed_by = claim.session_key)
        order by t.touch_key for update of t
      )
      update touches t set claimed_by = held.session_key from held where t.touch_key = held.touch_key
        and (t.claimed_by is null or t.claimed_by = held.session_key)
      returning t.touch_key`,
    values: [[...sessions.keys()], [...sessions.values()]],
  });
  return new Set(rows.map(({ touch_key: key }) => key));
}
