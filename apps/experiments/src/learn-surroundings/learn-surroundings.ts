import {
  type CampaignRecord,
  parseCampaignRecord,
  parseSiteRecord,
  type RecordedTouchFact,
  type SiteRecord,
} from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import type { Result } from '@truetally/kernel';
import {
  type Messaging,
  type ReceivedFact,
  subscribe,
  type Subscription,
  UnreadableError,
} from '@truetally/messaging';
import { inTransaction } from '@truetally/persistence';
import { whileAvailable } from '@truetally/service';
import type { Pool } from 'pg';
import { keepCampaigns, keepSites } from '../storage/surroundings.store.js';
import { keepTouches } from '../storage/touch.store.js';

interface Options {
  readonly messaging: Messaging;
  readonly pool: Pool;
}

const TOUCHES_PER_CALL = 500;

/** Follows sites and campaigns: the newest fact of each is what it is. */
export function learnSurroundings({ messaging, pool }: Options): Promise<Subscription> {
  return subscribe(messaging, {
    topics: [TOPICS.sites.name, TOPICS.campaigns.name],
    group: 'experiments.learn-surroundings',
    handler: (facts) =>
      whileAvailable(() =>
        inTransaction(pool, async (client) => {
          const sites = newestOf<SiteRecord>(facts, TOPICS.sites.name, parseSiteRecord);
          const campaigns = newestOf<CampaignRecord>(facts, TOPICS.campaigns.name, parseCampaignRecord);
          await keepSites(client, sites.there, sites.gone);
          await keepCampaigns(client, campaigns.there, campaigns.gone);
        }),
      ),
  });
}

/** Follows touches, by which sessions are eligible. */
export function learnTouches({ messaging, pool }: Options): Promise<Subscription> {
  return subscribe(messaging, {
    topics: [TOPICS.touchesRecorded.name],
    group: 'experiments.learn-touches',
    factsPerCall: TOUCHES_PER_CALL,
    handler: (facts) => whileAvailable(() => keepTouches(pool, facts.flatMap(touchIn))),
  });
}

/** The last of each key: those that are there, and the keys of those that are gone. */
function newestOf<T>(
  facts: readonly ReceivedFact[],
  topic: string,
  read: (text: string) => Result<T, string>,
): { readonly there: readonly T[]; readonly gone: readonly string[] } {
  const newest = new Map<string, string | null>();
  for (const fact of facts) if (fact.topic === topic) newest.set(fact.key, fact.value);
  const gone = [...newest].flatMap(([key, value]) => (value === null ? [key] : []));
  const there = [...newest.values()].flatMap((value) => {
    if (value === null) return [];
    const record = read(value);
    if (!record.ok) throw new UnreadableError(`${topic}: ${record.error}`);
    return [record.value];
  });
  return { there, gone };
}

function touchIn({ value }: ReceivedFact): readonly RecordedTouchFact[] {
  // The ledger's own words, which docs/asyncapi.yaml describes.
  return value === null ? [] : [JSON.parse(value) as RecordedTouchFact];
}
