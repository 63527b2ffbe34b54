import { randomBytes } from 'node:crypto';
import { stepOnce, uuidArray, uuidBytes } from '@truetally/persistence';
import { SubjectErasure } from '@truetally/service';
import type { ClientBase, Pool } from 'pg';
import type { ClickHouseErasure, ReplacedKey } from '../clickhouse/clickhouse-erasure.js';
import { filterWords, keyFilter, mayHave } from '../domain/key-filter.js';
import { replacementOf, sessionKeyOf } from '../domain/keys.js';
import { eraseElsewhere } from './erase-elsewhere.js';
import { lockSites } from './fold.store.js';

const SECRET_BYTES = 32;

/**
 * Gives a person's sessions other keys, by a secret that is forgotten: sums and funnels stay exact, and lead to nobody.
 */
export function sessionErasure(pool: Pool, elsewhere?: Pick<ClickHouseErasure, 'ofKeys'>): SubjectErasure {
  return new SubjectErasure(pool, async (client, siteId, { sessionIds }, name) => {
    const replacedBy = (secret: string): readonly ReplacedKey[] =>
      sessionIds.map((sessionId) => {
        const known = sessionKeyOf(siteId, sessionId);
        return { known, given: replacementOf(known, secret) };
      });
    if (elsewhere === undefined) return forgetSessions(client, siteId, replacedBy(newSecret()));
    const kept = `${name}: secret`;
    const replaced = replacedBy(await keptSecret(pool, kept));
    const rows = await eraseElsewhere({ pool, client, name }, elsewhere.ofKeys(siteId, replaced));
    // Nobody needs it once both stores have the keys that it gave.
    await client.query('delete from inbox where correlation_id = $1', [kept]);
    return rows + (await forgetSessions(client, siteId, replaced));
  });
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('hex');
}

/** Committed before the other store gets keys by it: an attempt behind a failed one gives the same ones in each table of both. */
async function keptSecret(pool: Pool, name: string): Promise<string> {
  const { secret } = await stepOnce(pool, { name, cursor: null }, () =>
    Promise.resolve({ cursor: null, secret: newSecret() }),
  );
  return secret;
}

async function forgetSessions(
  client: ClientBase,
  siteId: string,
  replaced: readonly ReplacedKey[],
): Promise<number> {
  // A fold that has read what is known of a session writes it under the key that it has read.
  await lockSites(client, new Set([siteId]));
  let rows = await forgetInBlocks(client, siteId, replaced);
  const values = [siteId, replaced.map(({ known }) => known), replaced.map(({ given }) => given)];
  for (const table of ['touches', 'session_quarters']) {
    const { rowCount } = await client.query(
      `update ${table} set session_key = given.new from unnest($2::uuid[], $3::uuid[]) as given (known, new)
       where site_id = $1 and session_key = given.known`,
      values,
    );
    rows += rowCount ?? 0;
  }
  return rows;
}

interface BlockOfPerson {
  readonly eventIds: readonly string[];
  readonly sessionKeys: readonly string[];
  readonly requestKeys: readonly string[];
}

/** Blocks are rewritten one by one, so that one is in memory at a time. */
async function forgetInBlocks(
  client: ClientBase,
  siteId: string,
  replaced: readonly ReplacedKey[],
): Promise<number> {
  if (replaced.length === 0) return 0;
  const given = new Map(replaced.map((key) => [key.known, key.given]));
  const { rows } = await client.query<{ blockId: string }>(
    // Filters leave out what need not be read; of hundreds of keys together many a filter seems to have one.
    `select block_id as "blockId" from event_blocks
     where site_id = $1 and ${mayHave('filter', 3)} and session_keys && $2::uuid[]`,
    [siteId, uuidArray([...given.keys()]), ...filterWords(uuidBytes([...given.keys()]))],
  );
  let events = 0;
  for (const { blockId } of rows) events += await forgetInBlock(client, blockId, given);
  return events;
}

async function forgetInBlock(
  client: ClientBase,
  blockId: string,
  given: ReadonlyMap<string, string>,
): Promise<number> {
  const { rows } = await client.query<BlockOfPerson>(
    `select event_ids::text[] as "eventIds", session_keys::text[] as "sessionKeys",
       request_keys::text[] as "requestKeys" from event_blocks where block_id = $1`,
    [blockId],
  );
  const [block] = rows;
  if (block === undefined) return 0;
  const { eventIds, sessionKeys, requestKeys } = block;
  const events = sessionKeys.filter((key) => given.has(key)).length;
  const keys = sessionKeys.map((key) => given.get(key) ?? key);
  const filter = keyFilter(uuidBytes(eventIds), uuidBytes(keys), uuidBytes(requestKeys));
  await client.query('update event_blocks set session_keys = $2, filter = $3 where block_id = $1', [
    blockId,
    uuidArray(keys),
    filter,
  ]);
  return events;
}
