import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CredentialRecord, type SiteRecord } from '@truetally/contracts/facts';
import { type WorkspaceResource } from '@truetally/contracts/management';
import {
  createTestDatabase,
  eventually,
  type LocalPostgres,
  ownerPool,
  removePostgresData,
  startPostgres,
  type TestDatabase,
} from '@truetally/testing';
import type pg from 'pg';
import { whatAForgottenCommandDoes } from './testing/forgotten-command-suite.js';
import { whatAKilledPostgresCosts, whatWaitsForPostgres } from './testing/postgres-fault-suite.js';
import { whatAReplayDoes } from './testing/replay-suite.js';
import { accepted, type ManagementAtWork, ManagementService } from './testing/service.js';

let folder: string;
let postgres: LocalPostgres;
let database: TestDatabase;
let owner: pg.Pool;
let management: ManagementService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truetally-management-'));
  postgres = await startPostgres({ dataDir: join(folder, 'postgres'), user: 'owner', password: 'owner' });
  database = await createTestDatabase('management', postgres.url);
  owner = ownerPool(database, 3);
  // Its connections end with a Postgres that is killed.
  owner.on('error', () => undefined);
  management = await ManagementService.prepare(database);
});

afterAll(async () => {
  await management.close();
  await owner.end();
  await postgres.stop();
  await removePostgresData(postgres.dataDir);
  await rm(folder, { recursive: true, force: true });
});

const atWork = (): ManagementAtWork => ({ management, owner, postgres });

async function count(table: string, where: string, values: readonly unknown[]): Promise<number> {
  const sql = `select count(*)::int as n from ${table} where ${where}`;
  const { rows } = await owner.query<{ n: number }>(sql, [...values]);
  return rows[0]?.n ?? Number.NaN;
}

const record = <T>(key: string): T | undefined => {
  const value = management.latest(key);
  return typeof value === 'string' ? (JSON.parse(value) as T) : undefined;
};

/** The owner of a suspended workspace cannot create another one. */
async function resume({ id }: WorkspaceResource): Promise<void> {
  accepted(await management.ask('administerWorkspace', id, { workspace_id: id, suspended: false }));
}

/** In sequence: each test goes on with the replicas that the one before has left. */
describe('management over Kafka', () => {
  it('publishes a new site and key, a changed site, a revocation and a suspension', async () => {
    const service = await management.addReplica();
    const workspace = await management.makeWorkspace();
    const site = await management.makeSite(workspace.id);
    const key = await management.makeKey(site);
    const scope = { workspace_id: workspace.id, site_id: site.id };

    expect(await eventually(() => record<SiteRecord>(site.id))).toEqual({
      site_id: site.id,
      workspace_id: workspace.id,
      name: 'Shop',
      domain: 'shop.example',
      allowed_origins: ['https://shop.example'],
      suspended: false,
      currency: 'EUR',
      timezone: 'UTC',
      publisher_mode: 'off',
      partner: {
        providers: ['awin', 'cj'],
        touch_limit: 20,
        attribution_model: 'linear',
        lookback_days: null,
      },
      runtime_hourly_limit: 100_000,
      version: 1,
    });
    expect(await eventually(() => record<CredentialRecord>(key.id))).toEqual({
      key_id: key.id,
      ...scope,
      prefix: key.prefix,
      hash: key.hash,
      scopes: ['events:write'],
      hourly_limit: 1_000,
      limit_id: expect.any(String),
      expires_at: null,
      revoked_at: null,
      version: 1,
    });

    accepted(await management.ask('updateSite', workspace.id, { ...scope, name: 'Renamed' }));
    await eventually(() => record<SiteRecord>(site.id)?.name === 'Renamed');

    accepted(await management.ask('revokeApiKey', workspace.id, { ...scope, key_id: key.id }));
    await eventually(() => record<CredentialRecord>(key.id)?.revoked_at !== null);

    accepted(
      await management.ask('administerWorkspace', workspace.id, {
        workspace_id: workspace.id,
        suspended: true,
      }),
    );
    await eventually(() => record<SiteRecord>(site.id)?.suspended === true);
    await resume(workspace);

    expect(service.output()).not.toContain(key.hash);
  });

  it('answers a redelivered command as it did the first time, and does it once', async () => {
    const correlationId = randomUUID();
    const body = { name: 'Delivered twice', actor: 'auth0|owner' };
    const replies = await Promise.all([
      management.ask('createWorkspace', 'a', body, correlationId),
      management.tell('createWorkspace', 'b', body, correlationId),
    ]);
    expect(await management.ask('createWorkspace', 'c', body, correlationId)).toEqual(replies[0]);
    const workspace = accepted<WorkspaceResource>(replies[0]);
    expect(await count('workspaces', 'name = $1', [body.name])).toBe(1);
    expect(await count('workspaces', 'workspace_id = $1', [workspace.id])).toBe(1);
  });

  it('answers nonsense with VALIDATION_ERROR, and goes on', async () => {
    for (const body of [{}, { name: { a: 1 } }, { name: 'x'.repeat(100_000), colour: [] }]) {
      expect(
        await management.ask('createWorkspace', 'nonsense', { ...body, actor: 'auth0|owner' }),
      ).toMatchObject({
        error: { code: 'VALIDATION_ERROR' },
      });
    }
    expect(await management.makeWorkspace()).toMatchObject({ version: 1 });
  });

  it('keeps what only a newer release knows, and answers everything else meanwhile', async () => {
    const asked = management.askUnknown('management.commands/archive-site', 3_000);
    const read = management.askUnknown('management.queries/read-archive', 3_000);
    for (const answer of [asked, read])
      expect(await answer).toMatchObject({ error: { code: 'UNAVAILABLE' } });
    expect(await management.makeWorkspace()).toMatchObject({ version: 1 });
    expect(await count('dead_letters', `topic like '%archive%'`, [])).toBe(0);
  });

  // Before any other command is given up: a topic of dead letters begins with the one that is buried.
  whatAReplayDoes(atWork);
  whatAForgottenCommandDoes(atWork);

  it('publishes facts of a process that was killed between commit and publish', async () => {
    const workspace = await management.makeWorkspace();
    const site = await management.makeSite(workspace.id);
    const key = await management.makeKey(site);
    await eventually(() => record<CredentialRecord>(key.id));
    // While the test holds the relays' lock, a command commits and its fact stays in the outbox.
    const holder = await owner.connect();
    await holder.query(`select pg_advisory_lock(hashtext(current_schema() || '.outbox-relay'))`);
    const scope = { workspace_id: workspace.id, site_id: site.id };
    accepted(await management.ask('revokeApiKey', workspace.id, { ...scope, key_id: key.id }));
    expect(await count('outbox', 'key = $1', [key.id])).toBe(1);
    const [service] = management.running();
    await management.killAll();
    await holder.query('select pg_advisory_unlock_all()');
    holder.release();
    expect(record<CredentialRecord>(key.id)?.revoked_at).toBeNull();
    await service?.restart();
    await eventually(() => record<CredentialRecord>(key.id)?.revoked_at !== null);
    await eventually(async () => (await count('outbox', 'true', [])) === 0);
  });

  it('keeps the order of each key with two replicas at work', async () => {
    await eventually(async () => (await count('outbox', 'true', [])) === 0);
    const before = await management.published();
    await management.addReplica();
    // It publishes nothing again at its start.
    expect(await management.published()).toBe(before);
    const workspace = await management.makeWorkspace();
    const sites = await Promise.all([1, 2].map(() => management.makeSite(workspace.id)));
    // Different keys, so that both replicas change the same sites.
    const updates = Array.from({ length: 80 }, (_, n) =>
      management.ask('updateSite', `${n}`, {
        workspace_id: workspace.id,
        site_id: sites[n % 2]?.id,
        name: `Name ${n}`,
      }),
    );
    const suspensions = Array.from({ length: 21 }, (_, n) =>
      management.ask('administerWorkspace', `${n}`, { workspace_id: workspace.id, suspended: n % 2 === 0 }),
    );
    for (const reply of await Promise.all([...updates, ...suspensions])) expect(reply).toHaveProperty('ok');
    const { rows } = await owner.query<{
      site_id: string;
      name: string;
      version: number;
      is_suspended: boolean;
    }>(
      `select site_id, sites.name, sites.version, is_suspended from sites join workspaces using (workspace_id)
       where workspace_id = $1`,
      [workspace.id],
    );
    expect(rows).toHaveLength(2);
    // Published last, so that a reader of it has read everything before.
    const last = await management.makeSite(workspace.id);
    await eventually(() => record<SiteRecord>(last.id));
    for (const row of rows) {
      expect(row.version).toBe(41);
      expect(record<SiteRecord>(row.site_id)).toMatchObject({ name: row.name, suspended: row.is_suspended });
      const versions = management.records
        .filter((seen) => seen.key === row.site_id)
        .map((seen) => (JSON.parse(seen.value ?? '{}') as SiteRecord).version);
      expect(versions).toEqual([...versions].sort((left, right) => left - right));
      expect(new Set(versions).size).toBe(41);
    }
    await resume(workspace);
  });

  whatAKilledPostgresCosts(atWork);

  it('loses nothing and does nothing twice when every replica is killed at work', async () => {
    const workspace = await management.makeWorkspace();
    const bodies = Array.from({ length: 60 }, (_, n) => ({
      workspace_id: workspace.id,
      name: `Killed ${n}`,
      domain: 'shop.example',
      allowed_origins: ['https://shop.example'],
    }));
    const replies = bodies.map((body, n) => management.ask('createSite', `${n}`, body));
    await replies[0];
    await management.killAll();
    await management.addReplica();
    for (const reply of await Promise.all(replies)) expect(reply).toHaveProperty('ok');
    expect(await count('sites', 'workspace_id = $1', [workspace.id])).toBe(60);
    expect(await count('sites', `workspace_id = $1 and name = 'Killed 59'`, [workspace.id])).toBe(1);
    const ids = (
      await owner.query<{ site_id: string }>('select site_id from sites where workspace_id = $1', [
        workspace.id,
      ])
    ).rows;
    await eventually(() => ids.every(({ site_id }) => record<SiteRecord>(site_id) !== undefined));
  });
});

describe('a stop', () => {
  whatWaitsForPostgres(atWork);

  it('a stop is clean: the process ends with code 0, and another takes its place', async () => {
    const [stopped, other] = management.running();
    await stopped?.stop();
    expect(await stopped?.exited).toEqual({ code: 0, signal: null });
    expect(management.running()).toEqual([other]);
    expect(await management.makeWorkspace()).toMatchObject({ version: 1 });
  });
});

describe('a start', () => {
  it('fills the topics of a Kafka that has lost them, with all that the tables hold', async () => {
    // Otherwise their relays would publish facts for the new Kafka to the old one.
    await management.killAll();
    const elsewhere = await ManagementService.prepare(database);
    try {
      await elsewhere.addReplica();
      const sites = await count('sites', 'true', []);
      const keys = await count('api_keys', 'true', []);
      await eventually(() => new Set(elsewhere.records.map(({ key }) => key)).size === sites + keys);
      const before = elsewhere.records.length;
      await elsewhere.addReplica({ REPUBLISH_ON_START: 'true' });
      await eventually(() => elsewhere.records.length >= before + sites + keys);
    } finally {
      await elsewhere.close();
    }
  });

  it('ends at once with the name of a bad variable', async () => {
    await expect(management.addReplica({ REPUBLISH_ON_START: 'perhaps' })).rejects.toThrow(
      /REPUBLISH_ON_START must be true or false; got "perhaps"/,
    );
  });
});
