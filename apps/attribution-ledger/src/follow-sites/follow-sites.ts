import type { AttributionSettings } from '@truetally/contracts/attribution';
import { parseSiteRecord } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import {
  type Messaging,
  newestOf,
  type ReceivedFact,
  subscribe,
  type Subscription,
} from '@truetally/messaging';
import { whileAvailable } from '@truetally/service';
import type { Pool } from 'pg';
import { forgetSettings, keepSettings } from '../storage/site-settings.js';

interface Parts {
  readonly messaging: Messaging;
  readonly pool: Pool;
}

/** Stores each site's commission settings from management's facts. */
export function followSites({ messaging, pool }: Parts): Promise<Subscription> {
  return subscribe(messaging, {
    topics: [TOPICS.sites.name],
    group: 'attribution-ledger.follow-sites',
    handler: (facts) => whileAvailable(() => keepSites(pool, facts)),
  });
}

/** The last fact of each site counts; repetitions change nothing. */
export async function keepSites(
  pool: Pool,
  facts: readonly Pick<ReceivedFact, 'key' | 'value'>[],
): Promise<void> {
  const { there, gone } = newestOf(facts, TOPICS.sites.name, parseSiteRecord);
  const settings = [...there].map(
    ([siteId, { partner, version }]): readonly [string, AttributionSettings] => [
      siteId,
      { model: partner.attribution_model, lookbackDays: partner.lookback_days, version },
    ],
  );
  await forgetSettings(pool, gone);
  await keepSettings(pool, new Map(settings));
}
