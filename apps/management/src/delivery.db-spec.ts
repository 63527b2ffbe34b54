import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CampaignResource, ProductResource } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import { TransientError } from '@truetally/messaging';
import { appendToOutbox, inTransaction } from '@truetally/persistence';
import { eventually, uniqueName } from '@truetally/testing';
import {
  accepted,
  commandOf,
  ManagementReplicas,
  NOTHING_KNOWN,
  republishFacts,
  OWNER,
  siteBody,
} from './testing/management-replicas.js';

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

beforeEach(() => replicas.settle());

describe('whatever happens at once', () => {
  it('the last fact of each site, key and member equals the tables', async () => {
    const owner = uniqueName('owner');
    const workspace = await replicas.makeWorkspace(owner);
    const sites = await Promise.all([1, 2, 3].map(() => replicas.makeSite(workspace.id)));
    const keys = await Promise.all(sites.flatMap((site) => [1, 2].map(() => replicas.makeKey(site))));
    const scope = { workspace_id: workspace.id };
    const updates = Array.from({ length: 60 }, (_, n) => {
      const site = sites[n % sites.length];
      return () => replicas.send.updateSite({ ...scope, site_id: site?.id, name: `Name ${n}` });
    });
    const suspensions = Array.from(
      { length: 13 },
      (_, n) => () => replicas.send.administerWorkspace({ ...scope, suspended: n % 2 === 0 }),
    );
    const revocations = keys
      .slice(0, 4)
      .map((key) => () => replicas.send.revokeApiKey({ ...scope, site_id: key.site_id, key_id: key.id }));
    const repetitions = [1, 2, 3, 4].map(
      () => () => republishFacts(replicas.pool, replicas.relays[0], NOTHING_KNOWN),
    );
    const everything = [...updates, ...suspensions, ...revocations, ...repetitions]
      .map((start) => ({ start, order: Math.random() }))
      .sort((left, right) => left.order - right.order);
    await Promise.all(everything.map(({ start }) => start()));
    await replicas.allPublished();
    const rows = await replicas.owner.query<{
      site_id: string;
      name: string;
      version: number;
      is_suspended: boolean;
    }>(
      `select site_id, sites.name, sites.version, is_suspended from sites join workspaces using (workspace_id)
       where workspace_id = $1`,
      [workspace.id],
    );
    expect(replicas.lastMemberFact(workspace.id, owner).suspended).toBe(rows.rows[0]?.is_suspended);
    expect(rows.rows).toHaveLength(3);
    for (const row of rows.rows) {
      expect(row.version).toBe(21);
      expect(replicas.lastSiteFact(row.site_id)).toMatchObject({
        name: row.name,
        version: row.version,
        suspended: row.is_suspended,
      });
    }
    expect(keys.map((key) => replicas.lastKeyFact(key.id).revoked_at !== null)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

/** Waits until this many sessions wait for locks of this test. */
async function sessionsWait(sessions: number): Promise<void> {
  await eventually(
    async () =>
      (await replicas.count(
        'pg_stat_activity',
        `wait_event_type = 'Lock' and usename = '${replicas.schema.role}'`,
      )) >= sessions,
    { message: `${sessions} sessions that wait for a lock` },
  );
}

describe('a change in progress', () => {
  it('a republication waits for a change in progress, so that no state follows its revocation', async () => {
    const key = await replicas.makeKey(await replicas.makeSite((await replicas.makeWorkspace()).id));
    await replicas.allPublished();
    const { rows } = await replicas.owner.query<{ site_id: string }>('select site_id from sites');
    const known = { ...NOTHING_KNOWN, sites: new Set(rows.map((row) => row.site_id)) };
    const [relay] = replicas.relays;
    const republished = await inTransaction(replicas.pool, async (client) => {
      await client.query('update api_keys set revoked_at = now() where key_id = $1', [key.id]);
      await appendToOutbox(client, [{ topic: 'test', key: 'the revocation', value: '{}' }]);
      const running = republishFacts(replicas.pool, relay, known);
      await sessionsWait(1);
      return { running };
    });
    await republished.running;
    await replicas.allPublished();
    expect(replicas.lastKeyFact(key.id).revoked_at).not.toBeNull();
  });

  it('a new site waits for a suspension of its workspace in progress, and is suspended as well', async () => {
    const workspace = await replicas.makeWorkspace(uniqueName('owner'));
    const created = await inTransaction(replicas.pool, async (client) => {
      await client.query('update workspaces set is_suspended = true where workspace_id = $1', [workspace.id]);
      const running = replicas.makeSite(workspace.id);
      await sessionsWait(1);
      return { running };
    });
    const site = await created.running;
    await replicas.allPublished();
    expect(replicas.lastSiteFact(site.id).suspended).toBe(true);
  });
});

describe('republishing', () => {
  it('locks a workspace before its sites, so that it does not block a suspension', async () => {
    const workspace = await replicas.makeWorkspace(uniqueName('owner'));
    const site = await replicas.makeSite(workspace.id);
    await replicas.allPublished();
    const [relay] = replicas.relays;
    const scope = { workspace_id: workspace.id };
    // All of them wait for a change that is rolled back, so that they continue together, in this order.
    const queued = await inTransaction(replicas.pool, async (client) => {
      await client.query('select 1 from workspaces where workspace_id = $1 for update', [workspace.id]);
      const update = replicas.send.updateSite({ ...scope, site_id: site.id, name: 'Renamed' });
      await sessionsWait(1);
      const suspension = replicas.send.administerWorkspace({ ...scope, suspended: true });
      await sessionsWait(2);
      const repetition = republishFacts(replicas.pool, relay, NOTHING_KNOWN);
      await sessionsWait(3);
      return { running: [update, suspension, repetition] };
    });
    await Promise.all(queued.running);
    await replicas.allPublished();
    expect(replicas.lastSiteFact(site.id)).toMatchObject({ name: 'Renamed', suspended: true });
  });

  it('publishes missing facts, chunk by chunk, and none that is known', async () => {
    const site = await replicas.makeSite((await replicas.makeWorkspace()).id);
    await replicas.owner.query(
      `insert into api_keys (key_id, site_id, workspace_id, name, prefix, hash, scopes, hourly_limit, limit_id,
         created_at, updated_at)
       select gen_random_uuid(), $1, $2, 'Bulk', lpad(to_hex(n), 8, 'x'), sha256(n::text::bytea), '{events:write}',
         1000, gen_random_uuid(), now(), now() from generate_series(1, 2500) n`,
      [site.id, site.workspace_id],
    );
    await replicas.settle();
    const [relay] = replicas.relays;
    const [sites, keys, members] = [
      await replicas.count('sites'),
      await replicas.count('api_keys'),
      await replicas.count('members'),
    ];
    expect(await republishFacts(replicas.pool, relay, NOTHING_KNOWN)).toEqual({
      sites,
      erasedSites: 0,
      credentials: keys,
      members,
      campaigns: 0,
      workflows: 0,
    });
    await replicas.allPublished();
    expect(new Set(replicas.published.map((fact) => fact.key)).size).toBe(sites + keys + members);
    const keysOn = (topic: string) =>
      new Set(replicas.published.filter((fact) => fact.topic === topic).map((fact) => fact.key));
    const known = {
      sites: keysOn('sites.v1'),
      credentials: keysOn('credentials.v1'),
      members: keysOn('members.v1'),
      erasedSites: new Set<string>(),
      campaigns: new Set<string>(),
      workflows: new Set<string>(),
    };
    known.credentials.delete(
      replicas.published.findLast((fact) => fact.topic === 'credentials.v1')?.key ?? '',
    );
    expect(await republishFacts(replicas.pool, relay, known)).toEqual({
      sites: 0,
      erasedSites: 0,
      credentials: 1,
      members: 0,
      campaigns: 0,
      workflows: 0,
    });
  });
});

describe('a command that does not come through', () => {
  it('leaves nothing: no row, no fact, no reply', async () => {
    const id = randomUUID();
    const attempt = replicas.next().command(commandOf({}), id, async (client) => {
      await client.query(
        `insert into workspaces (workspace_id, name, hourly_limit, created_at, updated_at)
         values ($1, 'Half', 10000, now(), now())`,
        [randomUUID()],
      );
      // A fact that cannot be stored: the transaction fails at its very end.
      return { ok: {}, facts: [{ topic: 'sites.v1', key: 'a\0', value: '{}' }] };
    });
    await expect(attempt).rejects.toThrow(/invalid byte sequence/);
    expect(await replicas.count('workspaces', `name = 'Half'`)).toBe(0);
    expect(await replicas.count('inbox', `correlation_id = '${id}'`)).toBe(0);
  });

  it('a command is transient when Postgres ends the session, and succeeds when tried again', async () => {
    const id = randomUUID();
    const body = { name: 'Interrupted', actor: OWNER };
    const attempt = replicas.next().command(commandOf({}), id, async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await replicas.owner.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      await client.query('select pg_sleep(5)');
      return { ok: {} };
    });
    await expect(attempt).rejects.toThrow(TransientError);
    expect(await replicas.send.createWorkspace(body, id)).toMatchObject({ ok: { name: 'Interrupted' } });
  });

  it('keeps other commands from nothing but its own rows', async () => {
    const workspace = await replicas.makeWorkspace();
    const other = await replicas.makeWorkspace();
    await inTransaction(replicas.pool, async (client) => {
      await client.query('select 1 from workspaces where workspace_id = $1 for update', [workspace.id]);
      expect(await replicas.send.createSite(siteBody(other.id))).toHaveProperty('ok');
    });
  });
});

describe('a patch that changes nothing', () => {
  it('a patch that changes nothing leaves its resource as it is and publishes nothing, and is in the audit log', async () => {
    const { send } = replicas;
    const workspace = await replicas.makeWorkspace();
    const site = await replicas.makeSite(workspace.id);
    const { id: key_id, ...key } = await replicas.makeKey(site);
    const { id: member_id, ...member } = await replicas.addMember(workspace.id, 'auth0|same', 'analyst');
    const scope = { workspace_id: workspace.id, site_id: site.id };
    const content = { title: 'Hello', layout: 'modal' };
    const fields = { site_id: site.id, type: 'overlay', name: 'Welcome', content };
    const { id: campaign_id, ...campaign } = accepted<CampaignResource>(
      await send.createCampaign({ ...scope, body: fields }),
    );
    const goods = {
      site_id: site.id,
      product_id: 'p',
      title: 'P',
      url: 'https://shop.example/p',
      currency: 'EUR',
    };
    const { id, ...product } = accepted<ProductResource>(
      await send.createProduct({ ...scope, body: { ...goods, price: 10.5, attributes: { b: 'x', a: 'y' } } }),
    );
    await replicas.settle();
    const audited = await replicas.count('audit_log', `workspace_id = '${workspace.id}'`);
    const patches: readonly (readonly [Reply<unknown>, object])[] = [
      [await send.updateWorkspace(scope), workspace],
      [await send.updateSite({ ...scope, name: site.name, allowed_origins: site.allowed_origins }), site],
      [await send.updateApiKey({ ...scope, key_id, hourly_limit: key.hourly_limit }), key],
      [await send.updateMember({ ...scope, member_id, role: 'analyst' }), member],
      [await send.updateCampaign({ ...scope, campaign_id, body: { ...fields, status: 'draft' } }), campaign],
      [await send.updateProduct({ ...scope, id, body: { ...goods, attributes: { a: 'y' } } }), product],
    ];
    for (const [reply, resource] of patches) expect(accepted(reply)).toMatchObject(resource);
    await replicas.allPublished();
    expect(replicas.published).toEqual([]);
    expect(await replicas.count('audit_log', `workspace_id = '${workspace.id}'`)).toBe(
      audited + patches.length,
    );
  });
});
