import { TransientError } from '@truetally/messaging';
import { eraseSetAsideNaming } from '@truetally/persistence';
import { SubjectErasure } from '@truetally/service';
import type { Pool } from 'pg';
import { isParked } from './parked-clicks.js';
import { lockSite } from './site-scope.js';

/** Longer than a step of an import, behind which it waits. */
const LOCK_TIMEOUT_MS = 2_000;

/**
 * Takes the references of a person's clicks, which networks know; nothing else here leads to a person. A random value stays in place of
 * each, so that clicks and settlements are joined as before, and no sum changes. Those that are parked are counted first, as all that
 * was told before the erasure.
 * @throws TransientError as long as one is parked; Postgres' error when the site was not free in time
 */
export function referenceErasure(pool: Pool): SubjectErasure {
  return new SubjectErasure(pool, async (client, siteId, { eventIds }) => {
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await lockSite(client, siteId);
    if (await isParked(client, eventIds))
      throw new TransientError('A click of the person is not counted yet.');
    const { rows } = await client.query<{ erased: number }>(
      'select erase_references($1, $2)::integer as erased',
      [siteId, eventIds],
    );
    const facts = await eraseSetAsideNaming(client, siteId, eventIds);
    return (rows[0]?.erased ?? 0) + facts;
  });
}
