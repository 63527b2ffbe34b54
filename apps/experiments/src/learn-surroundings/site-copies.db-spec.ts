import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CampaignRecord, SiteRecord } from '@truetally/contracts/facts';
import type { AwaitedVersions, ResourceCommand } from '@truetally/contracts/resource';
import { inTransaction } from '@truetally/persistence';
import type { CommandWork, Outcome } from '@truetally/resource';
import type { ServiceDatabase } from '@truetally/testing-product';
import type { Pool } from 'pg';
import { changeState } from '../experiments/change-state.js';
import { createExperiment } from '../experiments/create-experiment.js';
import { keepCampaigns, keepSites } from '../storage/surroundings.store.js';
import { openExperimentDatabase } from '../testing/experiment-database.js';
import { SiteCopies } from './site-copies.js';

let database: ServiceDatabase;
let pool: Pool;
/** One that does not wait, and one that waits as long as the test lets it. */
let impatient: SiteCopies;
let patient: SiteCopies;

beforeAll(async () => {
  database = await openExperimentDatabase();
  pool = database.openPool(4);
  impatient = new SiteCopies(pool, 0);
  patient = new SiteCopies(pool, 60_000);
});

afterAll(() => database.close());

interface Shop {
  readonly siteId: string;
  readonly workspaceId: string;
  readonly campaignId: string;
}

/** The service's copy of a site in euros and its campaign, both in their first version. */
async function openShop(): Promise<Shop> {
  const shop = { siteId: randomUUID(), workspaceId: randomUUID(), campaignId: randomUUID() };
  await learn((client) => keepSites(client, [siteOf(shop, 1, 'EUR')], []));
  await learn((client) => keepCampaigns(client, [campaignOf(shop, 1)], []));
  return shop;
}

const learn = (work: Parameters<typeof inTransaction<void>>[1]): Promise<void> => inTransaction(pool, work);

// Only what the service keeps of them.
const siteOf = ({ siteId, workspaceId }: Shop, version: number, currency: string): SiteRecord =>
  ({ site_id: siteId, workspace_id: workspaceId, currency, version }) as SiteRecord;
const campaignOf = ({ campaignId, siteId }: Shop, version: number): CampaignRecord =>
  ({ campaign_id: campaignId, site_id: siteId, type: 'overlay', version }) as CampaignRecord;

function commandOf(
  shop: Shop,
  params: Readonly<Record<string, string>>,
  awaits: AwaitedVersions,
): ResourceCommand {
  const body = {
    site_id: shop.siteId,
    name: 'Banner',
    surface: 'overlay',
    campaign_ids: [shop.campaignId],
    minimum_detectable_effect: 0.1,
    baseline_rate: 0.1,
  };
  const command = { workspace_id: shop.workspaceId, actor: null, params, version: null, idempotency: null };
  return { ...command, body: 'experiment_id' in params ? null : body, awaits };
}

const NOTHING: AwaitedVersions = { sites: {}, campaigns: {} };

const execute = (command: ResourceCommand, work: CommandWork): Promise<Outcome> =>
  inTransaction(pool, (client) => work(client, command, { nowMs: Date.now(), newId: () => randomUUID() }));

async function draftOf(shop: Shop): Promise<string> {
  const outcome = await execute(commandOf(shop, {}, NOTHING), createExperiment);
  return 'ok' in outcome ? String((outcome.ok as { readonly id: string }).id) : '';
}

async function currencyOf(experimentId: string): Promise<string | undefined> {
  const { rows } = await database.owner.query<{ currency: string }>(
    'select currency from experiments where experiment_id = $1',
    [experimentId],
  );
  return rows[0]?.currency;
}

describe('a command right after a change that it depends on', () => {
  it('starts with the currency that the site was answered with, however late the service learns it', async () => {
    const shop = await openShop();
    const experimentId = await draftOf(shop);
    const awaits = { sites: { [shop.siteId]: 2 }, campaigns: { [shop.campaignId]: 1 } };
    const command = commandOf(shop, { experiment_id: experimentId }, awaits);
    expect(await impatient.caughtUp(command)).toMatchObject({ error: { code: 'UNAVAILABLE' } });
    const starting = patient.caughtUp(command).then(async (refused) => {
      expect(refused).toBeUndefined();
      return execute(command, changeState('start'));
    });
    await learn((client) => keepSites(client, [siteOf(shop, 2, 'USD')], []));
    expect(await starting).toMatchObject({ ok: { state: 'running' } });
    expect(await currencyOf(experimentId)).toBe('USD');
  });

  it('an experiment does not start with a campaign whose deletion was answered before', async () => {
    const shop = await openShop();
    const experimentId = await draftOf(shop);
    const awaits = { sites: { [shop.siteId]: 1 }, campaigns: { [shop.campaignId]: null } };
    const command = commandOf(shop, { experiment_id: experimentId }, awaits);
    expect(await impatient.caughtUp(command)).toMatchObject({ error: { code: 'UNAVAILABLE' } });
    await learn((client) => keepCampaigns(client, [], [shop.campaignId]));
    expect(await impatient.caughtUp(command)).toBeUndefined();
    expect(await execute(command, changeState('start'))).toMatchObject({ error: { code: 'CONFLICT' } });
  });

  it('creates nothing with a campaign whose deletion was answered before', async () => {
    const shop = await openShop();
    const command = commandOf(shop, {}, { sites: {}, campaigns: { [shop.campaignId]: null } });
    expect(await impatient.caughtUp(command)).toMatchObject({ error: { code: 'UNAVAILABLE' } });
    await learn((client) => keepCampaigns(client, [], [shop.campaignId]));
    expect(await impatient.caughtUp(command)).toBeUndefined();
    expect(await execute(command, createExperiment)).toMatchObject({ error: { code: 'VALIDATION_ERROR' } });
  });

  it('a command of an asker that knows less than the service waits for nothing', async () => {
    const shop = await openShop();
    await learn((client) => keepSites(client, [siteOf(shop, 3, 'USD')], []));
    const command = commandOf(shop, {}, { sites: { [shop.siteId]: 2 }, campaigns: {} });
    expect(await impatient.caughtUp(command)).toBeUndefined();
    expect(await execute(command, createExperiment)).toMatchObject({ ok: { state: 'draft' } });
  });
});
