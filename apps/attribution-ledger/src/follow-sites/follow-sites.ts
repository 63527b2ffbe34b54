import type { AttributionSettings } from '@truetally/contracts/attribution';
import { parseSiteRecord } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import {
  type Messaging,
  type ReceivedFact,
  subscribe,
  type Subscription,
  UnreadableError,
} from '@truetally/messaging';
import { whileAvailable } from '@truetally/service';
import type { Pool } from 'pg';
import { forgetSettings, keepSettings } from '../storage/site.settings.js';

interface Parts {
  readonly messaging: Messaging;
  readonly pool: Pool;
}

/** Keeps who shares each site's commissions, as management tells it. */
export function followSites({ messaging, pool }: Parts): Promise<Subscription> {
  return subscribe(messaging, {
    topics: [TOPICS.sites.name],
    group: 'attribution-ledger.follow-sites',
    handler: (facts) => whileAvailable(() => keepSites(pool, facts)),
  });
}

/** The last fact of each site counts; seeing one again changes nothing. */
export async function keepSites(
  pool: Pool,
  facts: readonly Pick<ReceivedFact, 'key' | 'value'>[],
): Promise<void> {
  const settings = new Map<string, AttributionSettings>();
  const gone = new Set<string>();
  for (const { key, value } of facts) {
    if (value === null) {
      gone.add(key);
      settings.delete(key);
      continue;
    }
    const site = parseSiteRecord(value);
    if (!site.ok) throw new UnreadableError(`Not the fact of a site: ${site.error}.`);
    const { partner, version } = site.value;
    settings.set(key, { model: partner.attribution_model, lookbackDays: partner.lookback_days, version });
  }
  await forgetSettings(pool, [...gone]);
  await keepSettings(pool, settings);
}
