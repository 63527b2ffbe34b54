import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { heldBytes } from '@truetally/contracts/facts';
import type { CampaignResource } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import { accepted, ManagementReplicas, OWNER } from '../testing/management-replicas.js';

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

/** The quota that a refusal names, or `ok`. */
const outcomeOf = (reply: Reply<unknown>): string =>
  'ok' in reply ? 'ok' : `${reply.error.code} ${Object.keys(reply.error.details).join()}`;

const times = <T>(count: number, start: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => start(n)));

const CAMPAIGN = {
  type: 'overlay',
  name: 'Overlay',
  status: 'active',
  content: { layout: 'modal', title: 'Hello' },
} as const;

describe('bounds of what all gateways hold of campaigns (docs/limits.md)', () => {
  const MIB = 1024 * 1024;
  const held = async (workspaceId: string, bytes: number): Promise<void> => {
    await replicas.owner.query(
      `insert into held_campaigns as held values ($1, $2)
       on conflict (workspace_id) do update set bytes = excluded.bytes`,
      [workspaceId, bytes],
    );
  };
  const heldOf = async (workspaceId: string): Promise<number> => {
    const sql = `select bytes::integer as bytes from held_campaigns where workspace_id = $1`;
    const { rows } = await replicas.owner.query<{ bytes: number }>(sql, [workspaceId]);
    return rows[0]?.bytes ?? 0;
  };
  const create = (siteId: string, id: string, fields: object = {}) =>
    replicas.send.createCampaign({
      workspace_id: id,
      body: { site_id: siteId, ...CAMPAIGN, ...fields },
      actor: OWNER,
    });

  it('count the sum of the campaigns after any changes', async () => {
    const { id } = await replicas.makeWorkspace();
    const site = await replicas.makeSite(id);
    const campaigns = await times(3, async (n) => {
      const targeting = n === 0 ? { page_url_contains: ['/€', '/sale'], languages: ['de'] } : null;
      return accepted<CampaignResource>(await create(site.id, id, { targeting, name: `é${n}` }));
    });
    const sum = (all: readonly CampaignResource[]): number =>
      all.reduce((bytes, one) => bytes + heldBytes(one), 0);
    expect(await heldOf(id)).toBe(sum(campaigns));
    const [first, second, third] = campaigns as [CampaignResource, CampaignResource, CampaignResource];
    const patch = async (campaign: CampaignResource, body: object): Promise<CampaignResource> =>
      accepted(await replicas.send.updateCampaign({ workspace_id: id, campaign_id: campaign.id, body }));
    const left = [
      await patch(first, { status: 'paused' }),
      await patch(second, { content: { title: 'x'.repeat(99) } }),
    ];
    accepted(await replicas.send.deleteCampaign({ workspace_id: id, campaign_id: third.id }));
    expect(await heldOf(id)).toBe(sum(left));
  });

  it.each([
    ['workspace_campaign_bytes', 8 * MIB],
    ['user_campaign_bytes', 16 * MIB],
    ['installation_campaign_bytes', 96 * MIB],
  ])('%s: an addition beyond it is refused and named, and everything else goes on', async (quota, most) => {
    const [mine, other] = [await replicas.makeWorkspace(), await replicas.makeWorkspace()];
    const site = await replicas.makeSite(mine.id);
    const active = accepted<CampaignResource>(await create(site.id, mine.id));
    const draft = accepted<CampaignResource>(await create(site.id, mine.id, { status: 'draft' }));
    const there = await replicas.owner.query<{ bytes: string }>(
      'select sum(bytes) as bytes from held_campaigns',
    );
    const room =
      most - (quota.startsWith('installation') ? Number(there.rows[0]?.bytes) : await heldOf(mine.id));
    const holder = quota.startsWith('workspace') ? mine : other;
    if (quota.startsWith('user')) {
      await replicas.owner.query(
        `update workspaces set created_by = 'auth0|held' where workspace_id in ($1, $2)`,
        [mine.id, other.id],
      );
    }
    const before = await heldOf(holder.id);
    await held(holder.id, before + room);
    const change = (campaign: CampaignResource, body: object): Promise<string> =>
      replicas.send.updateCampaign({ workspace_id: mine.id, campaign_id: campaign.id, body }).then(outcomeOf);
    expect(outcomeOf(await create(site.id, mine.id))).toBe(`CONFLICT ${quota}`);
    expect(await change(draft, { status: 'active' })).toBe(`CONFLICT ${quota}`);
    expect(await change(active, { content: { title: 'Hello again' } })).toBe(`CONFLICT ${quota}`);
    expect(await change(active, { targeting: { languages: ['de'] } })).toBe(`CONFLICT ${quota}`);
    expect(await change(active, { content: { title: 'Hi' } })).toBe('ok');
    expect(await change(active, { status: 'paused' })).toBe('ok');
    await held(holder.id, before);
    expect(await change(draft, { status: 'active' })).toBe('ok');
  });

  it('bounds of campaigns held by gateways are exact under concurrency, between workspaces as well', async () => {
    const [mine, other] = [await replicas.makeWorkspace(), await replicas.makeWorkspace()];
    const sites = [await replicas.makeSite(mine.id), await replicas.makeSite(other.id)] as const;
    const { rows } = await replicas.owner.query<{ bytes: string }>(
      'select sum(bytes) as bytes from held_campaigns',
    );
    const filler = await replicas.makeWorkspace();
    const one = heldBytes({ ...CAMPAIGN, targeting: null });
    await held(filler.id, 96 * MIB - Number(rows[0]?.bytes) - 3 * one);
    const replies = await times(8, (n) =>
      n % 2 === 0 ? create(sites[0].id, mine.id) : create(sites[1].id, other.id),
    );
    expect(replies.map(outcomeOf).filter((outcome) => outcome === 'ok')).toHaveLength(3);
    await held(filler.id, 0);
  });
});
