import { CAMPAIGN_RECORD, SITE_RECORD, type RecordedTouchFact } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { type ReceivedFact, statesOf, subscribe, type Subscription } from '@truetally/messaging';
import { inTransaction, newerStates } from '@truetally/persistence';
import { type ServiceContext, whileAvailable } from '@truetally/service';
import type { Pool } from 'pg';
import { keepCampaigns, keepSites } from '../storage/surroundings.store.js';
import { keepTouches } from '../storage/touch.store.js';

/** The group that learns which sessions partners' touches name. */
export const TOUCHES_GROUP = 'experiments.learn-touches';
const TOUCHES_PER_CALL = 500;

/** Follows sites and campaigns: the newest fact of each is its state. */
export function learnSurroundings({
  messaging,
  pool,
}: Pick<ServiceContext, 'messaging' | 'pool'>): Promise<Subscription> {
  return subscribe(messaging, {
    topics: [TOPICS.sites.name, TOPICS.campaigns.name],
    group: 'experiments.learn-surroundings',
    handler: (facts) => whileAvailable(() => keepSurroundings(pool, facts)),
  });
}

/** Older facts than the known ones change nothing, and nothing follows a deletion. */
export function keepSurroundings(
  pool: Pool,
  facts: readonly Pick<ReceivedFact, 'headers' | 'key' | 'topic' | 'value'>[],
): Promise<void> {
  const { name: sitesTopic } = TOPICS.sites;
  const { name: campaignsTopic } = TOPICS.campaigns;
  const toldSites = statesOf(factsOf(sitesTopic, facts), sitesTopic, SITE_RECORD.parse);
  const toldCampaigns = statesOf(factsOf(campaignsTopic, facts), campaignsTopic, CAMPAIGN_RECORD.parse);
  return inTransaction(pool, async (client) => {
    const sites = await newerStates(client, sitesTopic, toldSites);
    await keepSites(client, [...sites.there.values()], sites.gone);
    const campaigns = await newerStates(client, campaignsTopic, toldCampaigns);
    await keepCampaigns(client, [...campaigns.there.values()], campaigns.gone);
  });
}

/** Follows touches, which make sessions eligible. */
export function learnTouches({
  messaging,
  pool,
}: Pick<ServiceContext, 'messaging' | 'pool'>): Promise<Subscription> {
  return subscribe(messaging, {
    topics: [TOPICS.touchesRecorded.name],
    group: TOUCHES_GROUP,
    factsPerCall: TOUCHES_PER_CALL,
    handler: (facts) => whileAvailable(() => keepTouches(pool, facts.flatMap(touchIn))),
  });
}

function factsOf<F extends Pick<ReceivedFact, 'topic'>>(topic: string, facts: readonly F[]): readonly F[] {
  return facts.filter((fact) => fact.topic === topic);
}

function touchIn({ value }: ReceivedFact): readonly RecordedTouchFact[] {
  // The ledger's format, described in docs/asyncapi.yaml.
  return value === null ? [] : [JSON.parse(value) as RecordedTouchFact];
}
