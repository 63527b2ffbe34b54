import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { IntegrationResource } from '@truetally/contracts/management';
import {
  eventually,
  ManagedProcess,
  NODE_BINARY,
  programEnvironment,
  REPOSITORY_ROOT,
} from '@truetally/testing';
import { type LaunchedProduct, serviceEnvironment } from '@truetally/testing-product';
import { json, NetworkServer, transaction } from './network-server.js';
import { dataOf, Publisher, row } from './publisher.js';
import { sendSigned } from './pulls-suite.js';

const MARCH = { from: '2026-03-01', to: '2026-04-01' };
/** Rows of four job steps. */
const IMPORTED = 16_000;
const AT = '2026-03-10T12:00:00Z';

/** Recomputes every report from its rows; exit code 0 means no difference. */
async function verified(product: LaunchedProduct): Promise<void> {
  const verification = await ManagedProcess.start({
    name: 'publisher-verify',
    command: NODE_BINARY,
    args: [join(REPOSITORY_ROOT, 'apps', 'publisher-analytics', 'dist', 'verify.js')],
    env: { ...programEnvironment(), ...serviceEnvironment(product.installation, 'publisher-analytics') },
    cwd: REPOSITORY_ROOT,
  });
  const { code } = await verification.exited;
  expect([code, verification.tail()]).toEqual([0, expect.any(String)]);
}

export function whatIsKilled(product: () => LaunchedProduct): void {
  describe('after a kill every row is there once, and the sums are what the rows add up to', () => {
    let publisher: Publisher;

    beforeAll(async () => {
      publisher = await Publisher.open(product());
    });

    const killed = async (whileRunning: () => Promise<unknown>): Promise<void> => {
      const [service] = product().processes('publisher-analytics');
      if (service === undefined) throw new Error('The service was not started.');
      await whileRunning();
      await service.kill();
      await service.restart();
    };

    it('an import that is killed in the middle leaves every row once, and exact sums', async () => {
      const rows = Array.from({ length: IMPORTED }, (_, n) =>
        row({ provider_transaction_id: `killed-${n}`, click_reference: `ref-${n}` }),
      );
      const { job_id: jobId } = dataOf(await publisher.upload('awin', { rows }));
      await killed(() =>
        eventually(async () => {
          const job = await publisher.owner.get<{ done: number }>(`jobs/${jobId}`);
          return (job.body.data?.done ?? 0) > 0;
        }),
      );
      expect(await publisher.finished(jobId)).toMatchObject({
        state: 'completed',
        done: IMPORTED,
        stored: IMPORTED,
      });
      const report = await publisher.reportWhen(MARCH, (one) => one.settlements.pending === IMPORTED);
      expect(report.currencies[0]?.commission.pending).toBe('80000.00');
      await verified(product());
    });

    it('folding of clicks that is killed in the middle leaves every row once, and exact sums', async () => {
      const click = (n: number) => ({ reference: `ref-${n}`, at: AT, content: `content-${n % 7}` });
      const sendAll = (from: number) =>
        Promise.all(
          Array.from({ length: 300 }, async (_, n) => {
            expect((await publisher.click(click(from + n))).status).toBe(201);
          }),
        );
      await killed(() => sendAll(0));
      await sendAll(300);
      const report = await publisher.reportWhen(MARCH, (one) => one.observed_clicks === 600);
      expect(report.reference_correlation).toMatchObject({ matched: 600, clicks_matched: 600 });
      expect(report.top_content.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(600);
      await verified(product());
    });

    it('a pull that is killed in the middle leaves every row once, and exact sums', async () => {
      const network = await NetworkServer.start();
      let calls = 0;
      network.answer((request, response) => {
        calls += 1;
        const many = Array.from({ length: 500 }, (_, n) => transaction({ id: n, clickRefs: null }));
        json(many)(request, response);
      });
      const integration = dataOf(
        await publisher.owner.post<IntegrationResource>('integrations', {
          site_id: publisher.site.id,
          provider: 'awin',
          credentials: { publisher_id: '1', api_token: randomUUID() },
          base_url: network.url,
        }),
      );
      await killed(() => eventually(() => calls >= 2));
      const body = { site_id: publisher.site.id, integration_id: integration.id };
      const job = await publisher.finished(dataOf(await sendSigned(product(), body)).job_id);
      expect(job.state).toBe('completed');
      const report = await publisher.reportWhen(MARCH, (one) => one.settlements.total === IMPORTED + 500);
      expect(report.currencies.map(({ currency, settled_orders }) => [currency, settled_orders])).toEqual([
        ['EUR', IMPORTED],
        ['GBP', 500],
      ]);
      await verified(product());
      await network.stop();
    });
  });
}
