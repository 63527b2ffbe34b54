import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CampaignRecord,
  CAMPAIGN_RECORD,
  SITE_RECORD,
  type SiteRecord,
} from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import type { ServiceDatabase } from '@truetally/testing-product';
import fc from 'fast-check';
import { openExperimentDatabase } from '../testing/experiment-database.js';
import { keepSurroundings } from './learn-surroundings.js';

let database: ServiceDatabase;

beforeAll(async () => {
  database = await openExperimentDatabase();
});

afterAll(() => database.close());

const CURRENCIES = ['EUR', 'USD', 'GBP', 'CHF'];

/** State by state, as the log has them; the last one is a tombstone if it is deleted. */
interface History {
  readonly versions: number;
  readonly isDeleted: boolean;
}

const history: fc.Arbitrary<History> = fc.record({
  versions: fc.integer({ min: 1, max: CURRENCIES.length }),
  isDeleted: fc.boolean(),
});

interface Fact {
  readonly topic: string;
  readonly key: string;
  readonly value: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

function factsOf(
  { name: topic }: { readonly name: string },
  key: string,
  { versions, isDeleted }: History,
  write: (version: number) => string,
): readonly Fact[] {
  const values: (string | null)[] = Array.from({ length: versions }, (_, index) => write(index + 1));
  if (isDeleted) values.push(null);
  return values.map((value) => ({ topic, key, value, headers: { incarnation: '1' } }));
}

function siteValue(siteId: string, version: number): string {
  const site: SiteRecord = {
    site_id: siteId,
    workspace_id: randomUUID(),
    name: 'Shop',
    domain: 'shop.example',
    allowed_origins: [],
    suspended: false,
    currency: CURRENCIES[version - 1] ?? '',
    timezone: 'UTC',
    publisher_mode: 'off',
    partner: { providers: [], touch_limit: 20, attribution_model: 'linear', lookback_days: null },
    runtime_hourly_limit: 1,
    version,
  };
  return SITE_RECORD.encode(site);
}

function campaignValue(campaignId: string, siteId: string, version: number): string {
  const campaign: CampaignRecord = {
    campaign_id: campaignId,
    site_id: siteId,
    workspace_id: randomUUID(),
    type: version % 2 === 0 ? 'chatbot' : 'overlay',
    name: 'Campaign',
    status: 'active',
    schedule: { from: null, to: null },
    targeting: { page_url_contains: [], languages: [], device_types: [] },
    content: {},
    version,
    created_at: '2026-03-01T12:00:00.000Z',
  };
  return CAMPAIGN_RECORD.encode(campaign);
}

async function kept(siteId: string, campaignId: string): Promise<readonly unknown[]> {
  const { rows } = await database.owner.query<Record<string, unknown>>(
    `select currency as told from sites where site_id = $1
     union all select type from campaigns where campaign_id = $2`,
    [siteId, campaignId],
  );
  return rows.map(({ told }) => told);
}

describe('the copies of sites and campaigns', () => {
  it('end with the newest state, and with nothing of what was deleted, in whatever order facts arrive', async () => {
    const pool = database.openPool(2);
    const cases = fc.record({ site: history, campaign: history, order: fc.infiniteStream(fc.nat()) });
    await fc.assert(
      fc.asyncProperty(cases, fc.integer({ min: 1, max: 6 }), async ({ site, campaign, order }, perCall) => {
        const [siteId, campaignId] = [randomUUID(), randomUUID()];
        const facts = [
          ...factsOf(TOPICS.sites, siteId, site, (version) => siteValue(siteId, version)),
          ...factsOf(TOPICS.campaigns, campaignId, campaign, (version) =>
            campaignValue(campaignId, siteId, version),
          ),
        ];
        // Each at least once, some repeatedly.
        const mixed = [...facts, ...facts]
          .map((fact) => ({ fact, place: order.next().value }))
          .toSorted((one, other) => one.place - other.place)
          .map(({ fact }) => fact);
        const calls: Promise<void>[] = [];
        for (let from = 0; from < mixed.length; from += perCall) {
          // Two members of a group may handle facts of a partition at the same time, when it moves.
          calls.push(keepSurroundings(pool, mixed.slice(from, from + perCall)));
          if (calls.length % 2 === 0) await Promise.all(calls);
        }
        await Promise.all(calls);
        expect(await kept(siteId, campaignId)).toEqual([
          ...(site.isDeleted ? [] : [CURRENCIES[site.versions - 1]]),
          ...(campaign.isDeleted ? [] : [campaign.versions % 2 === 0 ? 'chatbot' : 'overlay']),
        ]);
      }),
      { numRuns: 60 },
    );
  });
});
