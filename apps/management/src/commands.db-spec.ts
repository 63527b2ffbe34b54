import { randomUUID } from 'node:crypto';
import { uniqueName } from '@truetally/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type ApiKeyResource,
  type SiteResource,
  type WorkspaceResource,
  DEFAULT_QUOTAS,
} from '@truetally/contracts/management';
import { accepted, keyBody, ManagementReplicas, OWNER, siteBody } from './testing/management-replicas.js';

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

beforeEach(() => replicas.settle());

/** Whole epoch milliseconds. */
async function timeOfPostgres(): Promise<number> {
  const { rows } = await replicas.owner.query<{ at: Date }>('select clock_timestamp() as at');
  return rows[0]?.at.getTime() ?? NaN;
}

describe('create-workspace', () => {
  it('answers the resource, stores its owner, and records its user in the audit log', async () => {
    const workspace = await replicas.makeWorkspace();
    expect(workspace).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Merchant',
      suspended: false,
      hourly_limit: 10_000,
      quotas: DEFAULT_QUOTAS,
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: workspace.created_at,
    });
    const members = await replicas.owner.query(
      'select subject, email, role from members where workspace_id = $1',
      [workspace.id],
    );
    expect(members.rows).toEqual([{ subject: OWNER, email: null, role: 'owner' }]);
    await replicas.allPublished();
    expect(replicas.lastMemberFact(workspace.id, OWNER)).toEqual({
      workspace_id: workspace.id,
      sub: OWNER,
      email: null,
      member_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      role: 'owner',
      membership: 'accepted',
      suspended: false,
      hourly_limit: 10_000,
      version: 1,
    });
    const audit = await replicas.owner.query(
      'select actor, action, resource, resource_id from audit_log where workspace_id = $1',
      [workspace.id],
    );
    expect(audit.rows).toEqual([
      { actor: OWNER, action: 'create', resource: 'workspace', resource_id: workspace.id },
    ]);
  });

  it('a command has the time of Postgres, also where the clock of its machine is wrong', async () => {
    const before = await timeOfPostgres();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2020, 0, 1));
    const workspace = await replicas.makeWorkspace().finally(() => clock.mockRestore());
    const after = await timeOfPostgres();
    expect(Date.parse(workspace.created_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(workspace.created_at)).toBeLessThanOrEqual(after);
  });

  it('refuses bad fields with all their problems, and stores nothing', async () => {
    const before = await replicas.count('workspaces');
    const id = randomUUID();
    expect(await replicas.send.createWorkspace({ name: '', actor: OWNER, colour: 1 }, id)).toEqual({
      error: {
        code: 'VALIDATION_ERROR',
        message: expect.any(String),
        details: {
          name: ['must be a non-empty string of at most 120 characters; got an empty string'],
          colour: ['is not a known field'],
        },
      },
    });
    expect(await replicas.count('workspaces')).toBe(before);
  });
});

describe('a redelivered command', () => {
  it('gets the first reply, and is one row, one fact and one audit entry', async () => {
    const workspace = await replicas.makeWorkspace(uniqueName('owner'));
    const site = await replicas.makeSite(workspace.id);
    const key = await replicas.makeKey(site);
    const scope = { workspace_id: workspace.id, site_id: site.id };
    const commands: readonly (readonly [keyof typeof replicas.send, object])[] = [
      ['createWorkspace', { name: 'Twice', actor: OWNER }],
      ['createSite', siteBody(workspace.id)],
      ['createApiKey', keyBody(site)],
      ['updateSite', { ...scope, name: 'Renamed' }],
      ['administerWorkspace', { workspace_id: workspace.id, suspended: true }],
      ['createMember', { workspace_id: workspace.id, sub: 'auth0|analyst', role: 'analyst' }],
      ['revokeApiKey', { ...scope, key_id: key.id }],
    ];
    for (const [command, body] of commands) {
      const id = randomUUID();
      const audited = await replicas.count('audit_log');
      // Four concurrently over two replicas, and one later, as after a rebalance.
      const replies = await Promise.all([1, 2, 3, 4].map(() => replicas.send[command](body, id)));
      replies.push(await replicas.send[command](body, id));
      expect(replies[0]).toHaveProperty('ok');
      for (const reply of replies) expect(JSON.parse(JSON.stringify(reply))).toEqual(replies[0]);
      expect(await replicas.count('audit_log')).toBe(audited + 1);
    }
    await replicas.allPublished();
    expect(await replicas.count('sites', `workspace_id = '${workspace.id}'`)).toBe(2);
    expect(await replicas.count('api_keys', `workspace_id = '${workspace.id}'`)).toBe(2);
    expect(replicas.published.filter((fact) => fact.key === key.id)).toHaveLength(2);
    expect(replicas.published.filter((fact) => fact.key === site.id)).toHaveLength(3);
  });

  it('a redelivered command is refused as it was the first time, though it would succeed by now', async () => {
    const workspace = await replicas.makeWorkspace();
    const site = await replicas.makeSite(workspace.id);
    const id = randomUUID();
    const stale = { workspace_id: workspace.id, site_id: site.id, version: 2, name: 'Later' };
    const refused = await replicas.send.updateSite(stale, id);
    expect(refused).toMatchObject({ error: { code: 'CONFLICT' } });
    await replicas.send.updateSite({ workspace_id: workspace.id, site_id: site.id, name: 'Second' });
    expect(await replicas.send.updateSite(stale, id)).toEqual(refused);
  });
});

describe('a resource of another workspace, or a missing one', () => {
  it('a resource of another workspace, or a missing one, is NOT_FOUND, and stays as it was', async () => {
    const mine = await replicas.makeWorkspace();
    const site = await replicas.makeSite(mine.id);
    const otherSite = await replicas.makeSite(mine.id);
    const key = await replicas.makeKey(site);
    const theirs = await replicas.makeWorkspace();
    const nobody = randomUUID();
    const replies = await Promise.all([
      replicas.send.createSite(siteBody(nobody)),
      replicas.send.administerWorkspace({ workspace_id: nobody, suspended: true }),
      replicas.send.createMember({ workspace_id: nobody, sub: OWNER, role: 'owner' }),
      replicas.send.updateSite({ workspace_id: theirs.id, site_id: site.id, name: 'Taken over' }),
      replicas.send.updateSite({ workspace_id: nobody, site_id: site.id, name: 'Taken over' }),
      replicas.send.updateSite({ workspace_id: mine.id, site_id: nobody, name: 'Taken over' }),
      replicas.send.createApiKey({ ...keyBody(site), workspace_id: theirs.id }),
      replicas.send.createApiKey({ ...keyBody(site), site_id: nobody }),
      replicas.send.revokeApiKey({ workspace_id: theirs.id, site_id: site.id, key_id: key.id }),
      replicas.send.revokeApiKey({ workspace_id: mine.id, site_id: otherSite.id, key_id: key.id }),
      replicas.send.revokeApiKey({ workspace_id: mine.id, site_id: site.id, key_id: nobody }),
    ]);
    for (const reply of replies) expect(reply).toMatchObject({ error: { code: 'NOT_FOUND', details: {} } });
    expect(await replicas.count('sites', `name = 'Taken over'`)).toBe(0);
    expect(await replicas.count('api_keys', `workspace_id = '${mine.id}' and revoked_at is null`)).toBe(1);
    expect(await replicas.count('api_keys', `workspace_id = '${theirs.id}'`)).toBe(0);
  });
});

describe('update-site', () => {
  it('changes the given fields and publishes the new state', async () => {
    const site = await replicas.makeSite((await replicas.makeWorkspace()).id);
    const scope = { workspace_id: site.workspace_id, site_id: site.id };
    const changed = accepted<SiteResource>(
      await replicas.send.updateSite({
        ...scope,
        version: 1,
        allowed_origins: ['https://WWW.shop.example:443'],
        publisher_mode: 'active',
        partner: { touch_limit: 3, attribution_model: 'first_touch', lookback_days: 7 },
        runtime_hourly_limit: 100_000_000,
      }),
    );
    expect(changed).toEqual({
      ...site,
      allowed_origins: ['https://www.shop.example'],
      publisher_mode: 'active',
      partner: {
        providers: ['awin', 'cj'],
        touch_limit: 3,
        attribution_model: 'first_touch',
        lookback_days: 7,
      },
      runtime_hourly_limit: 100_000_000,
      version: 2,
      updated_at: changed.updated_at,
    });
    await replicas.allPublished();
    expect(replicas.lastSiteFact(site.id)).toEqual({
      site_id: site.id,
      workspace_id: site.workspace_id,
      name: 'Shop',
      domain: 'shop.example',
      allowed_origins: ['https://www.shop.example'],
      suspended: false,
      currency: 'EUR',
      timezone: 'UTC',
      publisher_mode: 'active',
      partner: {
        providers: ['awin', 'cj'],
        touch_limit: 3,
        attribution_model: 'first_touch',
        lookback_days: 7,
      },
      runtime_hourly_limit: 100_000_000,
      version: 2,
    });
  });

  it('accepts one of several changes of the same version', async () => {
    const site = await replicas.makeSite((await replicas.makeWorkspace()).id);
    const scope = { workspace_id: site.workspace_id, site_id: site.id, version: 1 };
    const replies = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => replicas.send.updateSite({ ...scope, name: `Name ${n}` })),
    );
    const refused = replies.filter((reply) => 'error' in reply);
    expect(refused).toHaveLength(4);
    for (const reply of refused) {
      expect(reply).toMatchObject({
        error: { code: 'CONFLICT', details: { version: ['is stale: the current version is 2'] } },
      });
    }
  });
});

describe('create-api-key', () => {
  it('refuses a prefix or a key that exists, also on another site', async () => {
    const site = await replicas.makeSite((await replicas.makeWorkspace()).id);
    const other = await replicas.makeSite((await replicas.makeWorkspace()).id);
    const first = keyBody(site);
    accepted(await replicas.send.createApiKey(first));
    const conflict = { error: { code: 'CONFLICT', details: { prefix: ['is already in use'] } } };
    expect(await replicas.send.createApiKey({ ...keyBody(other), prefix: first.prefix })).toMatchObject(
      conflict,
    );
    expect(await replicas.send.createApiKey({ ...keyBody(other), hash: first.hash })).toMatchObject(conflict);
    const fresh = keyBody(other);
    const twins = await Promise.all([replicas.send.createApiKey(fresh), replicas.send.createApiKey(fresh)]);
    expect(twins.filter((reply) => 'ok' in reply)).toHaveLength(1);
    expect(await replicas.count('api_keys', `site_id = '${other.id}'`)).toBe(1);
  });

  it('keeps no secret: not in its reply, the inbox or the audit log', async () => {
    const site = await replicas.makeSite((await replicas.makeWorkspace()).id);
    const body = keyBody(site);
    const id = randomUUID();
    const key = accepted<ApiKeyResource>(await replicas.send.createApiKey(body, id));
    const kept = await replicas.owner.query<{ reply: string }>(
      'select reply::text from inbox where correlation_id = $1',
      [id],
    );
    expect(kept.rows).toHaveLength(1);
    expect(kept.rows[0]?.reply).not.toContain(body.hash);
    const audited = await replicas.owner.query('select * from audit_log where resource_id = $1', [key.id]);
    expect(JSON.stringify(audited.rows)).not.toContain(body.hash);
    await replicas.allPublished();
    expect(replicas.lastKeyFact(key.id)).toMatchObject({
      hash: body.hash,
      prefix: body.prefix,
      revoked_at: null,
    });
  });
});

describe('administer-workspace', () => {
  it('reaches every site, and only once', async () => {
    const owner = uniqueName('owner');
    const workspace = await replicas.makeWorkspace(owner);
    const sites = await Promise.all([1, 2, 3].map(() => replicas.makeSite(workspace.id)));
    const suspended = accepted<WorkspaceResource>(
      await replicas.send.administerWorkspace({ workspace_id: workspace.id, suspended: true }),
    );
    expect(suspended).toMatchObject({ suspended: true, version: 2 });
    await replicas.allPublished();
    for (const site of sites) expect(replicas.lastSiteFact(site.id).suspended).toBe(true);
    expect(replicas.lastMemberFact(workspace.id, owner).suspended).toBe(true);
    const late = await replicas.makeSite(workspace.id);
    await replicas.allPublished();
    expect(replicas.lastSiteFact(late.id).suspended).toBe(true);
    replicas.published.length = 0;
    const audited = await replicas.count('audit_log');
    accepted(await replicas.send.administerWorkspace({ workspace_id: workspace.id, suspended: true }));
    expect(await replicas.count('outbox')).toBe(0);
    expect(await replicas.count('audit_log')).toBe(audited + 1);
    accepted(await replicas.send.administerWorkspace({ workspace_id: workspace.id, suspended: false }));
    await replicas.allPublished();
    for (const site of [...sites, late]) expect(replicas.lastSiteFact(site.id).suspended).toBe(false);
  });
});
