import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CampaignRecord, CAMPAIGN_RECORD } from '@truetally/contracts/facts';
import { type CampaignResource, type SiteResource } from '@truetally/contracts/management';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import { deleteSite } from '../delete-site/delete-site.js';
import { SITE_ERASURES } from '../jobs/erasures.js';
import {
  accepted,
  commandOf,
  ManagementReplicas,
  NOTHING_KNOWN,
  OWNER,
  republishFacts,
} from '../testing/management-replicas.js';
import { explain } from '../testing/explain.js';
import { listCampaigns, readCampaign } from './campaigns.consumer.js';

let replicas: ManagementReplicas;
let site: SiteResource;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

beforeEach(async () => {
  site = await replicas.makeSite((await replicas.makeWorkspace()).id);
  await replicas.settle();
});

const bodyOf = (of: SiteResource, fields: object = {}) => ({
  site_id: of.id,
  type: 'overlay',
  name: 'Welcome',
  content: { layout: 'modal', title: 'Hello' },
  ...fields,
});

const create = (fields: object = {}, of = site, workspaceId = of.workspace_id): Promise<Reply<unknown>> =>
  replicas.send.createCampaign({ workspace_id: workspaceId, actor: OWNER, body: bodyOf(of, fields) });

const makeCampaign = async (fields: object = {}, of = site): Promise<CampaignResource> =>
  accepted(await create(fields, of));

function idsOf(campaign: CampaignResource) {
  return { workspace_id: campaign.workspace_id, campaign_id: campaign.id, actor: OWNER };
}

function query(fields: Partial<ResourceQuery> = {}): ResourceQuery {
  const workspace_id = site.workspace_id;
  return { workspace_id, actor: null, params: {}, filters: {}, limit: 50, cursor: null, ...fields };
}

/** The latest fact of a campaign: null is a tombstone. */
function lastFact(campaignId: string): CampaignRecord | null | undefined {
  const fact = replicas.published.findLast(
    ({ topic, key }) => topic === 'campaigns.v1' && key === campaignId,
  );
  if (fact === undefined) return undefined;
  if (fact.value === null) return null;
  const record = CAMPAIGN_RECORD.parse(fact.value);
  if (!record.ok) throw new Error(record.error);
  return record.value;
}

describe('a campaign', () => {
  it('a campaign is published as it is stored, with its audit entry', async () => {
    const schedule = { from: '2026-01-31T09:30:00.000Z' };
    const campaign = await makeCampaign({ schedule, targeting: { languages: ['de'] }, status: 'active' });
    await replicas.allPublished();
    expect(lastFact(campaign.id)).toEqual({
      campaign_id: campaign.id,
      site_id: site.id,
      workspace_id: site.workspace_id,
      type: 'overlay',
      name: 'Welcome',
      status: 'active',
      schedule: { ...schedule, to: null },
      targeting: { page_url_contains: [], languages: ['de'], device_types: [] },
      content: { layout: 'modal', title: 'Hello' },
      version: 1,
      created_at: campaign.created_at,
    });
    const changed = await replicas.send.updateCampaign({ ...idsOf(campaign), name: 'Renamed' });
    await replicas.allPublished();
    expect(lastFact(campaign.id)).toMatchObject({ name: 'Renamed', version: 2 });
    const params = { campaign_id: campaign.id };
    expect(await readCampaign(replicas.pool, query({ params }))).toEqual(changed);
    expect(await replicas.send.deleteCampaign(idsOf(campaign))).toEqual({
      ok: { id: campaign.id, deleted: true },
    });
    await replicas.allPublished();
    expect(lastFact(campaign.id)).toBeNull();
    const audit = await replicas.owner.query<{ said: string }>(
      `select concat_ws(' ', actor, action, resource) as said from audit_log where resource_id = $1 order by at`,
      [campaign.id],
    );
    expect(audit.rows.map(({ said }) => said)).toEqual(
      ['create', 'update', 'delete'].map((action) => `${OWNER} ${action} campaign`),
    );
  });

  it('a campaign is one row and one fact, however often its command is delivered', async () => {
    const command = { workspace_id: site.workspace_id, actor: OWNER, body: bodyOf(site) };
    const id = randomUUID();
    const replies = await Promise.all([1, 2, 3].map(() => replicas.send.createCampaign(command, id)));
    const [first] = replies.map((reply) => accepted<CampaignResource>(reply));
    for (const reply of replies) expect(accepted<CampaignResource>(reply).id).toBe(first?.id);
    expect(await replicas.count('campaigns', `site_id = '${site.id}'`)).toBe(1);
    await replicas.allPublished();
    expect(replicas.published.filter(({ key }) => key === first?.id)).toHaveLength(1);
  });

  it('a campaign is changed by one of those who saw the same version, or by all in turn', async () => {
    const campaign = await makeCampaign();
    const update = (fields: object) => replicas.send.updateCampaign({ ...idsOf(campaign), ...fields });
    const replies = await Promise.all([1, 2, 3, 4].map((n) => update({ version: 1, name: `Name ${n}` })));
    expect(replies.filter((reply) => 'ok' in reply)).toHaveLength(1);
    await Promise.all([1, 2, 3, 4].map((n) => update({ name: `Other name ${n}` })));
    await replicas.allPublished();
    const row = await replicas.owner.query('select name, version from campaigns where campaign_id = $1', [
      campaign.id,
    ]);
    expect(row.rows).toMatchObject([{ version: 6 }]);
    expect(lastFact(campaign.id)).toMatchObject(row.rows[0] ?? {});
  });

  it('a campaign of another workspace, or on a site of another, is NOT_FOUND and stays', async () => {
    const campaign = await makeCampaign();
    const theirs = await replicas.makeWorkspace();
    const stolen = { ...idsOf(campaign), workspace_id: theirs.id };
    const params = { campaign_id: campaign.id };
    for (const reply of [
      await create({}, site, theirs.id),
      await replicas.send.updateCampaign({ ...stolen, name: 'Mine' }),
      await replicas.send.deleteCampaign(stolen),
      await readCampaign(replicas.pool, query({ workspace_id: theirs.id, params })),
      await listCampaigns(replicas.pool, query({ workspace_id: theirs.id, filters: { site_id: site.id } })),
    ]) {
      expect(reply).toMatchObject({ error: { code: 'NOT_FOUND' } });
    }
    expect(await replicas.count('campaigns', `campaign_id = '${campaign.id}' and version = 1`)).toBe(1);
  });
});

describe('a site', () => {
  it('a site has at most 1,000 active campaigns, however many become active at once', async () => {
    await replicas.owner.query(
      `insert into campaigns (campaign_id, workspace_id, site_id, type, name, status, content, held_bytes,
         created_at, updated_at)
       select gen_random_uuid(), $1, $2, 'overlay', 'Bulk', case when n <= 998 then 'active' else 'draft' end, '{}',
         1280, now(), now() from generate_series(1, 1200) n`,
      [site.workspace_id, site.id],
    );
    const paused = [await makeCampaign({ status: 'paused' }), await makeCampaign({ status: 'paused' })];
    const replies = await Promise.all([
      ...[1, 2, 3].map(() => create({ status: 'active' })),
      ...paused.map((campaign) => replicas.send.updateCampaign({ ...idsOf(campaign), status: 'active' })),
      create(),
    ]);
    const refused = replies.filter((reply) => 'error' in reply);
    expect(refused).toHaveLength(3);
    for (const reply of refused) {
      expect(reply).toMatchObject({
        error: {
          code: 'CONFLICT',
          details: { status: ['must not be active: the site has 1000 active campaigns already'] },
        },
      });
    }
    expect(await replicas.count('campaigns', `site_id = '${site.id}' and status = 'active'`)).toBe(1_000);
    const { rows } = await replicas.owner.query<{ campaign_id: string }>(
      `select campaign_id from campaigns where site_id = $1 and status = 'active' limit 1`,
      [site.id],
    );
    const active = { workspace_id: site.workspace_id, campaign_id: rows[0]?.campaign_id };
    const content = { layout: 'modal', title: 'Still active' };
    expect(await replicas.send.updateCampaign({ ...active, content })).toHaveProperty('ok');
    expect(await replicas.send.updateCampaign({ ...active, status: 'archived' })).toHaveProperty('ok');
    expect(await create({ status: 'active' })).toHaveProperty('ok');
  });
});

describe('the campaigns of a deleted site', () => {
  const removeSite = () =>
    replicas
      .next()
      .command(
        commandOf({ workspace_id: site.workspace_id, site_id: site.id, actor: OWNER }),
        randomUUID(),
        deleteSite,
      );

  it('disappear for all clients at once, and are erased with a tombstone for each', async () => {
    const campaigns = [await makeCampaign(), await makeCampaign(), await makeCampaign()];
    const other = await makeCampaign({}, await replicas.makeSite(site.workspace_id));
    await removeSite();
    const page = accepted<Page<CampaignResource>>(await listCampaigns(replicas.pool, query()));
    expect(page.items.map(({ id }) => id)).toEqual([other.id]);
    const [first] = campaigns;
    if (first === undefined) throw new Error('There are three.');
    for (const reply of [
      await readCampaign(replicas.pool, query({ params: { campaign_id: first.id } })),
      await replicas.send.updateCampaign({ ...idsOf(first), name: 'Again' }),
      await replicas.send.deleteCampaign(idsOf(first)),
      await create(),
    ]) {
      expect(reply).toMatchObject({ error: { code: 'NOT_FOUND' } });
    }
    const erasure = SITE_ERASURES.find(({ table }) => table === 'campaigns');
    const client = await replicas.pool.connect();
    const erased = [];
    for (let piece = 0; piece < 3; piece++) erased.push(await erasure?.erase(client, site.id, 2));
    client.release();
    expect(erased.map((piece) => piece?.rows)).toEqual([2, 1, 0]);
    const tombstones = erased.flatMap((piece) => piece?.facts ?? []);
    expect(tombstones.map(({ key }) => key).toSorted()).toEqual(campaigns.map(({ id }) => id).toSorted());
    expect(tombstones.every(({ topic, value }) => topic === 'campaigns.v1' && value === null)).toBe(true);
    expect(await replicas.count('campaigns', `campaign_id = '${other.id}'`)).toBe(1);
  });

  it('include none that was created during the deletion: the second transaction waits for the first', async () => {
    const existing = await makeCampaign();
    const changes = Array.from({ length: 10 }, () => [
      create(),
      replicas.send.updateCampaign({ ...idsOf(existing), name: 'N' }),
    ]).flat();
    const [removed, ...replies] = await Promise.all([removeSite(), ...changes]);
    expect(removed).toHaveProperty('ok');
    const refused = replies.filter((reply) => 'error' in reply);
    for (const reply of refused) expect(reply).toMatchObject({ error: { code: 'NOT_FOUND' } });
    const kept = await replicas.count('campaigns', `site_id = '${site.id}'`);
    const created = replies.filter((reply, index) => index % 2 === 0 && 'ok' in reply);
    expect(kept).toBe(1 + created.length);
  });
});

describe('lists of campaigns', () => {
  it('lists of campaigns are read from an index, however many campaigns there are', async () => {
    await withoutTriggers(
      `insert into campaigns (campaign_id, workspace_id, site_id, type, name, status, content, held_bytes,
         created_at, updated_at)
       select gen_random_uuid(), $1, $2, 'overlay', 'Bulk', 'draft', '{}', 1280, now() - n * interval '1 ms', now()
       from generate_series(1, 20000) n`,
      [site.workspace_id, site.id],
    );
    await replicas.owner.query('analyze campaigns');
    const few = { status: 'paused', type: 'chatbot' };
    for (const filters of [
      {},
      { status: 'paused' },
      { type: 'chatbot' },
      few,
      { ...few, site_id: site.id },
    ]) {
      const plan = await explain(replicas, (client) => listCampaigns(client, query({ filters, limit: 10 })));
      expect(plan.indexes).toContainEqual(expect.stringMatching(/^campaigns_(of|by)_/));
      expect(plan.mostRows).toBeLessThanOrEqual(11);
    }
    await withoutTriggers(`delete from campaigns where name = 'Bulk'`);
  });

  /** For each row a trigger changes the same sum, which takes one transaction the square of their number. */
  async function withoutTriggers(sql: string, values: readonly string[] = []): Promise<void> {
    await replicas.owner.query('alter table campaigns disable trigger user');
    try {
      await replicas.owner.query(sql, [...values]);
    } finally {
      await replicas.owner.query('alter table campaigns enable trigger user');
    }
  }
});

describe('republishing', () => {
  it('publishes missing campaigns of existing sites, and none twice', async () => {
    const [known, missing] = [await makeCampaign(), await makeCampaign()];
    await replicas.owner.query('delete from campaigns where campaign_id <> all ($1)', [
      [known.id, missing.id],
    ]);
    await replicas.settle();
    const keys = { ...NOTHING_KNOWN, campaigns: new Set([known.id]) };
    const republished = await republishFacts(replicas.pool, replicas.relays[0], keys);
    expect(republished.campaigns).toBe(1);
    await replicas.allPublished();
    expect(lastFact(missing.id)).toMatchObject({ campaign_id: missing.id, version: 1 });
    expect(lastFact(known.id)).toBeUndefined();
  });

  it('publishes tombstones for deleted campaigns that are still on the topic', async () => {
    const [kept, gone] = [await makeCampaign(), randomUUID()];
    await replicas.settle();
    const keys = { ...NOTHING_KNOWN, campaigns: new Set([kept.id, gone]) };
    await republishFacts(replicas.pool, replicas.relays[0], keys);
    await replicas.allPublished();
    expect(lastFact(gone)).toBeNull();
    expect(lastFact(kept.id)).toBeUndefined();
  });
});
