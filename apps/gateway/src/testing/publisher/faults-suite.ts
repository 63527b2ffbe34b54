import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IntegrationResource } from '@truetally/contracts/management';
import {
  eventually,
  ManagedProcess,
  NODE_BINARY,
  programEnvironment,
  REPOSITORY_ROOT,
} from '@truetally/testing';
import { type LaunchedProduct, serviceEnvironment } from '@truetally/testing-product';
import { json, NetworkServer, transaction, unanswered } from './network-server.js';
import { dataOf, Publisher, row } from './publisher.js';
import { sendSigned } from './pulls-suite.js';

const MARCH = { from: '2026-03-01', to: '2026-04-01' };
/** Rows of three job steps. */
const IMPORTED = 10_000;
const CLICKS = 100;
const PULLED = 500;
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

/** Needs publisher analytics in a process of its own, which is killed once, in the middle of all that it does. */
export function whatIsKilled(product: () => LaunchedProduct): void {
  describe('after a kill every row is there once, and the sums are what the rows add up to', () => {
    let publisher: Publisher;
    let network: NetworkServer;
    let integration: IntegrationResource;
    let jobId: string;

    const sendClicks = (from: number) =>
      Promise.all(
        Array.from({ length: CLICKS }, async (_, n) => {
          const click = { reference: `ref-${from + n}`, at: AT, content: `content-${n % 7}` };
          expect((await publisher.click(click)).status).toBe(201);
        }),
      );

    /** Returns in the middle of the pull: the second call has no answer, and the process that asked is about to end. */
    async function beginPull(): Promise<void> {
      const many = Array.from({ length: PULLED }, (_, n) => transaction({ id: n, clickRefs: null }));
      network.answer(json(many), json(many), unanswered);
      const fields = { site_id: publisher.site.id, provider: 'awin', base_url: network.url };
      const credentials = { publisher_id: '1', api_token: randomUUID() };
      const created = await publisher.owner.post<IntegrationResource>('integrations', {
        ...fields,
        credentials,
      });
      integration = dataOf(created);
      await eventually(() => network.asked.length >= 2);
    }

    /** Returns between two of its steps. */
    async function beginImport(): Promise<void> {
      const rows = Array.from({ length: IMPORTED }, (_, n) =>
        row({ provider_transaction_id: `killed-${n}`, click_reference: `ref-${n}` }),
      );
      jobId = dataOf(await publisher.upload('awin', { rows })).job_id;
      await eventually(async () => {
        const job = await publisher.owner.get<{ done: number }>(`jobs/${jobId}`);
        return (job.body.data?.done ?? 0) > 0;
      });
    }

    beforeAll(async () => {
      publisher = await Publisher.open(product());
      network = await NetworkServer.start();
      await beginPull();
      const clicks = sendClicks(0);
      await beginImport();
      const [service] = product().processes('publisher-analytics');
      if (service === undefined) throw new Error('The service was not started.');
      await service.kill();
      await service.restart();
      await clicks;
      await sendClicks(CLICKS);
    });

    afterAll(() => network.stop());

    it('an import that is killed in the middle leaves every row once, and exact sums', async () => {
      expect(await publisher.finished(jobId)).toMatchObject({
        state: 'completed',
        done: IMPORTED,
        stored: IMPORTED,
      });
      await publisher.reportWhen(MARCH, ({ currencies }) =>
        currencies.some(
          ({ currency, commission }) => currency === 'EUR' && commission.pending === '50000.00',
        ),
      );
    });

    it('folding of clicks that is killed in the middle leaves every row once, and exact sums', async () => {
      const report = await publisher.reportWhen(MARCH, (one) => one.observed_clicks === 2 * CLICKS);
      expect(report.reference_correlation).toMatchObject({
        matched: 2 * CLICKS,
        clicks_matched: 2 * CLICKS,
      });
      expect(report.top_content.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(2 * CLICKS);
    });

    it('a pull that is killed in the middle leaves every row once, and exact sums', async () => {
      const body = { site_id: publisher.site.id, integration_id: integration.id };
      const job = await publisher.finished(dataOf(await sendSigned(product(), body)).job_id);
      expect(job.state).toBe('completed');
      const report = await publisher.reportWhen(MARCH, (one) => one.settlements.total === IMPORTED + PULLED);
      expect(report.currencies.map(({ currency, settled_orders }) => [currency, settled_orders])).toEqual([
        ['EUR', IMPORTED],
        ['GBP', PULLED],
      ]);
      // Recomputes every report of all three from its rows.
      await verified(product());
    });
  });
}
