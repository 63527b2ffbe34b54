import type { AttributionSettings } from '@truetally/contracts/attribution';
import { SITE_RECORD, type SiteRecord } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { type ReceivedFact, statesOf, subscribe, type Subscription } from '@truetally/messaging';
import { inTransaction, type NewerStates, newerStates } from '@truetally/persistence';
import { type ServiceContext, whileAvailable } from '@truetally/service';
import type { Pool } from 'pg';
import { forgetSettings, keepSettings } from '../storage/site-settings.js';

/** Stores each site's commission settings from management's facts. */
export function followSites({
  messaging,
  pool,
}: Pick<ServiceContext, 'messaging' | 'pool'>): Promise<Subscription> {
  return subscribe(messaging, {
    topics: [TOPICS.sites.name],
    group: 'attribution-ledger.follow-sites',
    handler: (facts) => whileAvailable(() => keepSites(pool, facts)),
  });
}

/** Older facts than the known ones change nothing, and nothing follows a deletion. */
export async function keepSites(
  pool: Pool,
  facts: readonly Pick<ReceivedFact, 'headers' | 'key' | 'value'>[],
): Promise<void> {
  const { name: topic } = TOPICS.sites;
  const told = statesOf(facts, topic, SITE_RECORD.parse);
  await inTransaction(pool, async (client) => {
    const newer = await newerStates(client, topic, told);
    await forgetSettings(client, newer.gone);
    await keepSettings(client, settingsOf(newer));
  });
}

function settingsOf({
  there,
  incarnations,
}: NewerStates<SiteRecord>): ReadonlyMap<string, AttributionSettings> {
  const settings = [...there].map(
    ([siteId, { partner, version }]): readonly [string, AttributionSettings] => [
      siteId,
      {
        model: partner.attribution_model,
        lookbackDays: partner.lookback_days,
        incarnation: incarnations.get(siteId) ?? 0,
        version,
      },
    ],
  );
  return new Map(settings);
}
