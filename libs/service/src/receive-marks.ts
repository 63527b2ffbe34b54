import { setTimeout as delay } from 'node:timers/promises';
import { ERASED_SITE } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { CompactedTable, type Messaging } from '@truetally/messaging';
import { isTransient, markErased } from '@truetally/persistence';
import type { Logger } from '@truetally/platform';
import type { Database } from './database.js';
import type { ProcessContext } from './process-context.js';

const RETRY_MS = 1_000;
const SITES_PER_CALL = 1_000;

/**
 * Marks every site as erased that was deleted before this start. A service that was added later was not asked
 * to erase them, and the topics that it begins to read still have their facts. Waits for Postgres as long as it
 * takes: without the marks nothing may be stored.
 */
export async function receiveMarks({
  messaging,
  pool,
  log,
  stopping,
}: Pick<ProcessContext & Database, 'log' | 'messaging' | 'pool' | 'stopping'>): Promise<void> {
  const siteIds = await erasedSites(messaging, log);
  for (let from = 0; from < siteIds.length && !stopping.aborted;) {
    try {
      await markErased(pool, siteIds.slice(from, from + SITES_PER_CALL));
      from += SITES_PER_CALL;
    } catch (error) {
      if (!isTransient(error)) throw error;
      log.warn({ err: error }, 'Postgres is away; erased sites are marked once it is back.');
      await delay(RETRY_MS, undefined, { signal: stopping });
    }
  }
}

async function erasedSites(messaging: Messaging, log: Logger): Promise<readonly string[]> {
  const found = new Set<string>();
  const table = await CompactedTable.open(messaging, {
    topic: TOPICS.sitesErased.name,
    apply: (key, value) => {
      // A restored database has the site again.
      if (value === null) return void found.delete(key);
      const fact = ERASED_SITE.parse(value);
      if (fact.ok) found.add(fact.value.site_id);
      else log.error({ key }, 'A record of an erased site is unreadable.');
    },
  });
  await table.close();
  return [...found];
}
