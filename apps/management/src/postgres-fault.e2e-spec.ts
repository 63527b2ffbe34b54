import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SiteResource } from '@truetally/contracts/management';
import {
  eventually,
  dependenciesAnswer,
  type LocalPostgres,
  removePostgresData,
  startPostgres,
  urlOfRole,
} from '@truetally/testing';
import pg from 'pg';
import { accepted, ManagementService } from './testing/service.js';

let folder: string;
let postgres: LocalPostgres;
let management: ManagementService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truetally-fault-'));
  postgres = await startPostgres({ dataDir: join(folder, 'postgres'), user: 'owner', password: 'owner' });
  const [role, rolePassword] = ['management_service', randomBytes(16).toString('hex')];
  management = await ManagementService.prepare({
    ownerUrl: postgres.url,
    url: urlOfRole(postgres.url, role, rolePassword),
    schema: 'management',
    role,
    rolePassword,
  });
});

afterAll(async () => {
  await management.close();
  await postgres.stop();
  await removePostgresData(join(folder, 'postgres'));
  await rm(folder, { recursive: true, force: true });
});

async function storedSites(): Promise<readonly { readonly site_id: string; readonly name: string }[]> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ site_id: string; name: string }>(
      'select site_id, name from management.sites order by name',
    );
    return rows;
  } finally {
    await client.end();
  }
}

describe('Postgres killed and started again', () => {
  it('loses no accepted command, does none twice, and every fact is published', async () => {
    const replicas = [await management.addReplica(), await management.addReplica()] as const;
    // A workspace's quota of sites is 100.
    const workspaces = [await management.makeWorkspace(), await management.makeWorkspace()] as const;
    const names = Array.from({ length: 200 }, (_, n) => `Site ${String(n).padStart(3, '0')}`);
    const replies = names.map((name, n) =>
      management.ask('createSite', `${n}`, {
        workspace_id: workspaces[n < 100 ? 0 : 1].id,
        name,
        domain: 'shop.example',
        allowed_origins: ['https://shop.example'],
      }),
    );
    await Promise.race(replies);
    await postgres.kill('SIGKILL');
    await eventually(async () => !(await dependenciesAnswer(replicas[0].operationsPort)), {
      message: () => `a replica that says that Postgres does not answer:\n${replicas[0].tail()}`,
    });
    await postgres.restart();

    const sites = (await Promise.all(replies)).map((reply) => accepted<SiteResource>(reply));
    const stored = await storedSites();
    expect(stored.map((row) => row.name)).toEqual(names);
    expect(new Set(stored.map((row) => row.site_id))).toEqual(new Set(sites.map((site) => site.id)));
    await eventually(() => sites.every((site) => typeof management.latest(site.id) === 'string'));
    for (const replica of replicas) {
      expect(replica.isRunning).toBe(true);
      await eventually(() => dependenciesAnswer(replica.operationsPort));
    }
  });

  it('a process that starts without Postgres waits for it', async () => {
    await postgres.kill('SIGKILL');
    const starting = management.addReplica();
    // The other replicas cannot work either: requests are answered when Postgres is back.
    const asked = management.makeWorkspace();
    await postgres.restart();
    expect(await asked).toMatchObject({ version: 1 });
    expect((await starting).isRunning).toBe(true);
  });
});
