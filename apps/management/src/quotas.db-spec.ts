import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { API_KEY_RANDOM_BYTES, mintApiKey } from '@truetally/contracts/credentials';
import {
  type ApiKeyResource,
  type CampaignResource,
  DEFAULT_QUOTAS,
  type Quotas,
  type WorkspaceResource,
} from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import fc from 'fast-check';
import { accepted, keyBody, ManagementReplicas, OWNER, siteBody } from './testing/management-replicas.js';

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

async function workspaceWith(quotas: Partial<Quotas>): Promise<string> {
  const { id } = await replicas.makeWorkspace();
  accepted(await replicas.send.administerWorkspace({ workspace_id: id, quotas }));
  return id;
}

const setQuotas = (workspaceId: string, quotas: object | null): Promise<Reply<unknown>> =>
  replicas.send.administerWorkspace({ workspace_id: workspaceId, quotas });

/** The quota that a refusal names, or `ok`. */
const outcomeOf = (reply: Reply<unknown>): string =>
  'ok' in reply ? 'ok' : `${reply.error.code} ${Object.keys(reply.error.details).join()}`;
const made = (replies: readonly Reply<unknown>[]): number => replies.filter((reply) => 'ok' in reply).length;

const times = <T>(count: number, start: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => start(n)));

const overlay = (siteId: string, workspaceId: string, fields: object = {}) => ({
  workspace_id: workspaceId,
  body: {
    site_id: siteId,
    type: 'overlay',
    name: 'Overlay',
    status: 'active',
    content: { layout: 'modal', title: 'Hello' },
    ...fields,
  },
  actor: OWNER,
});

describe('quotas of a workspace (interface page, section 9)', () => {
  it('quotas have defaults, and null from an operator restores the default', async () => {
    const { id, quotas } = await replicas.makeWorkspace();
    expect(quotas).toEqual({
      sites: 100,
      members: 500,
      api_keys: 100,
      campaigns: 5_000,
      active_content_bytes: 1_048_576,
      media: 10_000,
      media_bytes: 2_147_483_648,
      integrations: 20,
      products: 1_000_000,
      profiles: 1_000_000,
      submissions: 1_000_000,
      audit_entries: 1_000_000,
      jobs: 100_000,
      api_key_hourly_limit: 1_000_000_000,
      site_hourly_limit: 1_000_000_000,
    });
    const changed = accepted<WorkspaceResource>(await setQuotas(id, { sites: 3, media_bytes: 0 }));
    expect(changed.quotas).toEqual({ ...DEFAULT_QUOTAS, sites: 3, media_bytes: 0 });
    const back = accepted<WorkspaceResource>(await setQuotas(id, { sites: null }));
    expect(back.quotas).toEqual({ ...DEFAULT_QUOTAS, media_bytes: 0 });
    expect(accepted<WorkspaceResource>(await setQuotas(id, null)).quotas).toEqual(DEFAULT_QUOTAS);
    const refused = await setQuotas(id, { sites: -1, members: 1.5, media: 'many' });
    expect('error' in refused && Object.keys(refused.error.details).sort()).toEqual([
      'quotas.media',
      'quotas.members',
      'quotas.sites',
    ]);
  });

  it.each([
    [{ site: 3 }, 'quotas.site'],
    [{ sites: 3, site: null }, 'quotas.site'],
    [{ toString: 1 }, 'quotas.toString'],
    [{ workspaces: 21 }, 'quotas.workspaces'],
  ])('quotas have no other names: %j is refused whole', async (quotas, field) => {
    const { id } = await replicas.makeWorkspace();
    const refused = await setQuotas(id, quotas);
    expect('error' in refused && [refused.error.code, Object.keys(refused.error.details)]).toEqual([
      'VALIDATION_ERROR',
      [field],
    ]);
    expect(accepted<WorkspaceResource>(await setQuotas(id, {})).quotas).toEqual(DEFAULT_QUOTAS);
  });

  it('quotas are in the audit log, and in no other answer', async () => {
    const { id } = await replicas.makeWorkspace();
    await replicas.settle();
    await setQuotas(id, { sites: 7 });
    expect(await replicas.count('outbox')).toBe(0);
    expect(replicas.published).toEqual([]);
    expect(await replicas.count('audit_log', `resource_id = '${id}' and action = 'update'`)).toBe(1);
  });

  it.each<[keyof Quotas, (workspaceId: string, siteId: string, n: number) => Promise<Reply<unknown>>]>([
    ['sites', (id) => replicas.send.createSite(siteBody(id))],
    [
      'members',
      (id, _, n) => replicas.send.createMember({ workspace_id: id, sub: `auth0|${n}`, role: 'analyst' }),
    ],
    [
      'api_keys',
      (id, siteId) => {
        const { prefix, hash } = mintApiKey(randomBytes(API_KEY_RANDOM_BYTES));
        const fields = { name: 'Backend', scopes: ['events:write'] };
        return replicas.send.createApiKey({ workspace_id: id, site_id: siteId, fields, prefix, hash });
      },
    ],
    ['campaigns', (id, siteId) => replicas.send.createCampaign(overlay(siteId, id, { status: 'archived' }))],
  ])('%s: exact under concurrency over two replicas, and 409 names it', async (quota, create) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(4), fc.integer({ min: 1, max: 5 }), async (room, beyond) => {
        const id = await workspaceWith({});
        const site = await replicas.makeSite(id);
        // Existing rows: the one site, or the owner.
        const there = quota === 'sites' || quota === 'members' ? 1 : 0;
        accepted(await setQuotas(id, { [quota]: there + room }));
        const replies = await times(room + beyond, (n) => create(id, site.id, n));
        expect(made(replies)).toBe(room);
        const refused = replies.filter((reply) => 'error' in reply).map(outcomeOf);
        expect(new Set(refused)).toEqual(new Set([`CONFLICT ${quota}`]));
        accepted(await setQuotas(id, { [quota]: 0 }));
        expect(outcomeOf(await create(id, site.id, 99))).toBe(`CONFLICT ${quota}`);
        accepted(await setQuotas(id, { [quota]: there + room + 1 }));
        expect(outcomeOf(await create(id, site.id, 99))).toBe('ok');
      }),
      { numRuns: 4 },
    );
  });

  it('the quota of active content counts the UTF-8 bytes of a site’s JSON, also when it changes', async () => {
    const content = { layout: 'modal', title: 'é'.repeat(50) };
    const bytes = Buffer.byteLength(JSON.stringify(content));
    const id = await workspaceWith({ active_content_bytes: 2 * bytes });
    const [site, other] = [await replicas.makeSite(id), await replicas.makeSite(id)];
    const replies = await times(4, () => replicas.send.createCampaign(overlay(site.id, id, { content })));
    expect(replies.map(outcomeOf).sort()).toEqual([
      'CONFLICT active_content_bytes',
      'CONFLICT active_content_bytes',
      'ok',
      'ok',
    ]);
    expect(outcomeOf(await replicas.send.createCampaign(overlay(other.id, id, { content })))).toBe('ok');
    const draft = accepted<CampaignResource>(
      await replicas.send.createCampaign(overlay(site.id, id, { content, status: 'draft' })),
    );
    const one = replies.find((reply) => 'ok' in reply);
    const active = accepted<CampaignResource>(one ?? { ok: null });
    const change = (campaign: CampaignResource, body: object): Promise<string> =>
      replicas.send.updateCampaign({ workspace_id: id, campaign_id: campaign.id, body }).then(outcomeOf);
    expect(await change(draft, { status: 'active' })).toBe('CONFLICT active_content_bytes');
    expect(await change(active, { content: { title: `${content.title}x` } })).toBe(
      'CONFLICT active_content_bytes',
    );
    // A lowered quota removes nothing, and refuses only additions.
    accepted(await setQuotas(id, { active_content_bytes: 1 }));
    expect(await change(active, { name: 'Other' })).toBe('ok');
    expect(await change(active, { content: { title: 'short' } })).toBe('ok');
    expect(await change(active, { content: { title: 'longer' } })).toBe('CONFLICT active_content_bytes');
    expect(await change(active, { status: 'paused' })).toBe('ok');
    expect(await change(active, { status: 'active' })).toBe('CONFLICT active_content_bytes');
  });

  it('the quota of keys has room again when one is revoked, and never keeps a key from being rotated', async () => {
    const id = await workspaceWith({ api_keys: 1 });
    const site = await replicas.makeSite(id);
    const key = await replicas.makeKey(site);
    expect(outcomeOf(await replicas.send.createApiKey(keyBody(site)))).toBe('CONFLICT api_keys');
    const rotate = (keyId: string) =>
      replicas.send.rotateApiKey({ ...keyBody(site), key_id: keyId, fields: { overlap_seconds: 604_800 } });
    const successor = accepted<ApiKeyResource>(await rotate(key.id));
    expect(outcomeOf(await rotate(successor.id))).toBe('CONFLICT api_keys');
    for (const { id: key_id } of [key, successor]) {
      accepted(await replicas.send.revokeApiKey({ workspace_id: id, site_id: site.id, key_id }));
    }
    expect(outcomeOf(await replicas.send.createApiKey(keyBody(site)))).toBe('ok');
  });

  it('keys that ended within a day count as well, because gateways know them: rotating makes no more of them', async () => {
    const id = await workspaceWith({ api_keys: 1 });
    const site = await replicas.makeSite(id);
    let key = await replicas.makeKey(site);
    const rotate = () =>
      replicas.send.rotateApiKey({ ...keyBody(site), key_id: key.id, fields: { overlap_seconds: 0 } });
    for (let made = 1; made < 10; made += 1) key = accepted<ApiKeyResource>(await rotate());
    expect(outcomeOf(await rotate())).toBe('CONFLICT retained_keys');
    await replicas.owner.query(
      `update api_keys set expires_at = expires_at - interval '25 hours' where site_id = $1 and expires_at is not null`,
      [site.id],
    );
    expect(outcomeOf(await rotate())).toBe('ok');
  });

  it('a limit per hour that a tenant chooses is at most the operator’s, which is also the default’s end, and a lowered one takes nothing away', async () => {
    const id = await workspaceWith({ api_key_hourly_limit: 500, site_hourly_limit: 7_000 });
    const above = { ...siteBody(id), runtime_hourly_limit: 7_001 };
    expect(outcomeOf(await replicas.send.createSite(above))).toBe('CONFLICT site_hourly_limit');
    const made = await replicas.makeSite(id);
    expect(made.runtime_hourly_limit).toBe(7_000);
    const ofSite = { workspace_id: id, site_id: made.id };
    const raise = (limit: number) => replicas.send.updateSite({ ...ofSite, runtime_hourly_limit: limit });
    expect(outcomeOf(await raise(7_001))).toBe('CONFLICT site_hourly_limit');
    const keyWith = (hourly_limit: number | null) => {
      const body = keyBody(made);
      return replicas.send.createApiKey({ ...body, fields: { ...body.fields, hourly_limit } });
    };
    const unnamed = accepted<ApiKeyResource>(await keyWith(null));
    expect(unnamed.hourly_limit).toBe(500);
    expect(outcomeOf(await keyWith(501))).toBe('CONFLICT api_key_hourly_limit');
    expect(outcomeOf(await keyWith(500))).toBe('ok');
    await setQuotas(id, { site_hourly_limit: 10 });
    expect(outcomeOf(await replicas.send.updateSite({ ...ofSite, name: 'Renamed' }))).toBe('ok');
    expect(outcomeOf(await raise(9))).toBe('ok');
    expect(outcomeOf(await raise(11))).toBe('CONFLICT site_hourly_limit');
  });

  it('a site moves to another time zone at most four times within a day, and everything else of it changes as before', async () => {
    const { id } = await replicas.makeWorkspace();
    const site = await replicas.makeSite(id);
    const move = (timezone: string, fields: object = {}) =>
      replicas.send.updateSite({ workspace_id: id, site_id: site.id, timezone, ...fields });
    for (const zone of ['Europe/Berlin', 'Asia/Tokyo', 'UTC', 'Europe/Berlin'])
      expect(outcomeOf(await move(zone))).toBe('ok');
    expect(outcomeOf(await move('UTC'))).toBe('CONFLICT timezone_changes');
    expect(outcomeOf(await move('Europe/Berlin', { name: 'Renamed' }))).toBe('ok');
    await replicas.owner.query(
      `update sites set timezone_changes[1] = timezone_changes[1] - interval '25 hours' where site_id = $1`,
      [site.id],
    );
    expect(outcomeOf(await move('UTC'))).toBe('ok');
    expect(outcomeOf(await move('Asia/Tokyo'))).toBe('CONFLICT timezone_changes');
  });

  it('omit resources of deleted sites', async () => {
    const id = await workspaceWith({ sites: 1, campaigns: 1 });
    const site = await replicas.makeSite(id);
    accepted(await replicas.send.createCampaign(overlay(site.id, id)));
    await replicas.owner.query('update sites set deleted_at = now() where site_id = $1', [site.id]);
    const next = await replicas.makeSite(id);
    expect(outcomeOf(await replicas.send.createCampaign(overlay(next.id, id)))).toBe('ok');
  });
});

describe('imports of settlements (docs/limits.md)', () => {
  /** An integration of a new site of the workspace. */
  async function integrationOf(workspaceId: string): Promise<string> {
    const { id: siteId } = await replicas.makeSite(workspaceId);
    const id = randomUUID();
    await replicas.owner.query(
      `insert into integrations (id, workspace_id, site_id, provider, status, key_id, sealed, created_at, updated_at)
       values ($1, $2, $3, 'awin', 'pending', 'none', '', now(), now())`,
      [id, workspaceId, siteId],
    );
    return id;
  }

  it('imports of settlements are at most 100 unfinished ones of a workspace, also when begun at once', async () => {
    const [mine, other] = [await replicas.makeWorkspace(), await replicas.makeWorkspace()];
    const begin = (workspaceId: string, id: string) =>
      replicas.send.beginSettlementsImport({
        workspace_id: workspaceId,
        id,
        actor: OWNER,
        body: { upload_id: randomUUID(), rows: 1 },
      });
    const [first, second] = [await integrationOf(mine.id), await integrationOf(mine.id)];
    const replies = await times(104, (n) => begin(mine.id, n % 2 === 0 ? first : second));
    expect(made(replies)).toBe(100);
    expect(new Set(replies.map(outcomeOf))).toEqual(new Set(['ok', 'CONFLICT unfinished_imports']));
    expect(outcomeOf(await begin(other.id, await integrationOf(other.id)))).toBe('ok');
    await replicas.owner.query(
      `update jobs set state = 'completed', finished_at = now(), due_at = null where job_id = (
         select job_id from jobs where workspace_id = $1 limit 1)`,
      [mine.id],
    );
    expect(outcomeOf(await begin(mine.id, first))).toBe('ok');
    expect(outcomeOf(await begin(mine.id, first))).toBe('CONFLICT unfinished_imports');
  });
});

describe('workspaces of a user', () => {
  const create = (actor: string) => replicas.send.createWorkspace({ name: 'Mine', actor });

  it('workspaces of a user are exactly 20, also when asked for at once; a deleted one makes room', async () => {
    const user = `auth0|${randomUUID()}`;
    const replies = await times(25, () => create(user));
    expect(made(replies)).toBe(20);
    expect(new Set(replies.map(outcomeOf))).toEqual(new Set(['ok', 'CONFLICT workspaces']));
    await replicas.owner.query(
      `update workspaces set deleted_at = now() where workspace_id = (
         select workspace_id from workspaces where created_by = $1 limit 1)`,
      [user],
    );
    expect(outcomeOf(await create(user))).toBe('ok');
    expect(outcomeOf(await create(user))).toBe('CONFLICT workspaces');
  });

  it('no workspace is created by a user while the platform has suspended one that the user owns', async () => {
    const user = `auth0|${randomUUID()}`;
    const { id } = accepted<WorkspaceResource>(await create(user));
    accepted(await replicas.send.administerWorkspace({ workspace_id: id, suspended: true }));
    expect(outcomeOf(await create(user))).toBe('FORBIDDEN ');
    accepted(await replicas.send.administerWorkspace({ workspace_id: id, suspended: false }));
    expect(outcomeOf(await create(user))).toBe('ok');
  });
});
