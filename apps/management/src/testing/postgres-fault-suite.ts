import { describe, expect, it } from '@jest/globals';
import { type SiteResource } from '@truetally/contracts/management';
import { dependenciesAnswer, eventually, freePort, untilDependenciesAnswer } from '@truetally/testing';
import { accepted, type ManagementAtWork } from './service.js';

/** Needs two replicas at work. */
export function whatAKilledPostgresCosts(given: () => ManagementAtWork): void {
  describe('Postgres killed and started again', () => {
    it('loses no accepted command, does none twice, and every fact is published', async () => {
      const { management, owner, postgres } = given();
      const replicas = management.running();
      expect(replicas).toHaveLength(2);
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
      for (const replica of replicas) {
        await eventually(async () => !(await dependenciesAnswer(replica.operationsPort)), {
          message: () => `a replica that says that Postgres does not answer:\n${replica.tail()}`,
        });
      }
      await postgres.restart();

      const sites = (await Promise.all(replies)).map((reply) => accepted<SiteResource>(reply));
      const { rows: stored } = await owner.query<{ site_id: string; name: string }>(
        'select site_id, name from sites where workspace_id = any($1) order by name',
        [workspaces.map(({ id }) => id)],
      );
      expect(stored.map((row) => row.name)).toEqual(names);
      expect(new Set(stored.map((row) => row.site_id))).toEqual(new Set(sites.map((site) => site.id)));
      await eventually(() => sites.every((site) => typeof management.latest(site.id) === 'string'));
      for (const replica of replicas) {
        expect(replica.isRunning).toBe(true);
        await untilDependenciesAnswer(replica);
      }
    });
  });
}

/** Needs a replica at work; leaves one more. */
export function whatWaitsForPostgres(given: () => ManagementAtWork): void {
  it('a process that starts without Postgres waits for it', async () => {
    const { management, postgres } = given();
    await postgres.kill('SIGKILL');
    const port = await freePort();
    const starting = management.addReplica({ OPERATIONS_PORT: String(port) });
    await eventually(async () => !(await dependenciesAnswer(port)), {
      message: 'a process that says that Postgres does not answer',
    });
    // The other replica cannot work either: requests are answered when Postgres is back.
    const asked = management.makeWorkspace();
    await postgres.restart();
    expect(await asked).toMatchObject({ version: 1 });
    expect((await starting).isRunning).toBe(true);
  });
}
