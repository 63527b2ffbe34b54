import { parseCampaignRecord, parseSiteRecord, type RecordedTouchFact } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import {
  type Messaging,
  newestOf,
  type ReceivedFact,
  subscribe,
  type Subscription,
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

/** Follows sites and campaigns: the newest fact of each is its state. */
export function learnSurroundings({ messaging, pool }: Options): Promise<Subscription> {
  return subscribe(messaging, {
    topics: [TOPICS.sites.name, TOPICS.campaigns.name],
    group: 'experiments.learn-surroundings',
    handler: (facts) =>
      whileAvailable(() =>
        inTransaction(pool, async (client) => {
          const { sites: sitesTopic, campaigns: campaignsTopic } = TOPICS;
          const sites = newestOf(factsOf(sitesTopic.name, facts), sitesTopic.name, parseSiteRecord);
          const campaigns = newestOf(
            factsOf(campaignsTopic.name, facts),
            campaignsTopic.name,
            parseCampaignRecord,
          );
          await keepSites(client, [...sites.there.values()], sites.gone);
          await keepCampaigns(client, [...campaigns.there.values()], campaigns.gone);
        }),
      ),
  });
}

/** Follows touches, which make sessions eligible. */
export function learnTouches({ messaging, pool }: Options): Promise<Subscription> {
  return subscribe(messaging, {
    topics: [TOPICS.touchesRecorded.name],
    group: 'experiments.learn-touches',
    factsPerCall: TOUCHES_PER_CALL,
    handler: (facts) => whileAvailable(() => keepTouches(pool, facts.flatMap(touchIn))),
  });
}

function factsOf(topic: string, facts: readonly ReceivedFact[]): readonly ReceivedFact[] {
  return facts.filter((fact) => fact.topic === topic);
}

function touchIn({ value }: ReceivedFact): readonly RecordedTouchFact[] {
  // The ledger's format, described in docs/asyncapi.yaml.
  return value === null ? [] : [JSON.parse(value) as RecordedTouchFact];
}
