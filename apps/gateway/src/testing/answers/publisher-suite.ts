import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { json, NetworkServer } from '../publisher/network-server.js';
import { Publisher, row } from '../publisher/publisher.js';
import { type AnswerWalk, membersHeaders } from './answer-walk.js';

const REFERENCE = 'reference-1';
const WINDOW = { from: '2026-03-01', to: '2026-04-01' };

/** Answers about publisher mode: clicks, settlements, their reports, and the platform's workers. */
export function publisherAnswers(walk: () => AnswerWalk): void {
  describe('publisher mode', () => {
    let publisher: Publisher;
    let network: NetworkServer;

    beforeAll(async () => {
      network = await NetworkServer.start();
      publisher = await Publisher.open(walk().product);
    });

    afterAll(() => network.stop());

    const sent = (
      method: string,
      path: string,
      more: { readonly json?: unknown; readonly body?: string } = {},
    ) => walk().succeed(method, path, { headers: membersHeaders(publisher.owner), ...more });

    it('settlements as JSON and as a file, with errors of rows, and the job that imports them', async () => {
      const path = `integrations/${publisher.integrations.awin}/settlements`;
      const settled = row({ click_reference: REFERENCE, order_reference: 'order-1' });
      const changed = { ...settled, status: 'approved', updated_at: '2026-03-11T12:00:00Z' };
      const uploaded = await sent('POST', path, {
        json: { rows: [settled, changed, row({ status: 'lost' })] },
      });
      await publisher.finished(uploaded.job_id);
      await sent('GET', `jobs/${uploaded.job_id}`);
      const file = [Object.keys(settled).join(','), Object.values(settled).join(',')].join('\r\n');
      const headers = { ...membersHeaders(publisher.owner), 'content-type': 'text/csv' };
      await walk().succeed('POST', path, { body: file, headers });
      const { items } = await sent('GET', path);
      expect(items).toMatchObject([{ history_count: 2 }]);
      const id = String(items[0]?.id);
      const states = await sent('GET', `${path}/${id}/history?limit=1`);
      expect(states).toMatchObject({ items: [{ status: 'approved' }], next_cursor: expect.any(String) });
      const next = await sent('GET', `${path}/${id}/history?cursor=${states.next_cursor}`);
      expect(next).toMatchObject({ items: [{ status: 'pending' }], next_cursor: null });
    });

    it('a report with and without settlements, its file, and the click of a reference', async () => {
      const click = { reference: REFERENCE, at: '2026-03-10T11:00:00Z', content: 'guide' };
      await publisher.click(click);
      await publisher.reportWhen(WINDOW, (report) => report.reference_correlation.matched === 1);
      const query = new URLSearchParams({ site_id: publisher.site.id, ...WINDOW }).toString();
      for (const interval of ['day', 'week', 'month']) {
        await sent('GET', `analytics/publishers?${query}&interval=${interval}`);
      }
      await sent('GET', `analytics/publishers?site_id=${publisher.site.id}`);
      await sent('GET', `analytics/publishers.csv?${query}`);
      await sent('GET', `analytics/publishers/clicks?reference=${REFERENCE}`);
    });

    it('a pull of the platform, cancelled while its network does not answer', async () => {
      network.answer(() => undefined);
      const { id } = await sent('POST', 'integrations', {
        json: {
          site_id: publisher.site.id,
          provider: 'awin',
          credentials: { publisher_id: '2', api_token: 'token' },
          base_url: network.url,
        },
      });
      const text = JSON.stringify({ site_id: publisher.site.id, integration_id: id });
      const { job_id: jobId } = await walk().succeed('POST', 'integrations/jobs/settlements.pull', {
        body: text,
        headers: signedHeaders(text, walk().product.installation.secrets.workerSecret),
      });
      await eventually(() => network.asked.length > 0);
      await sent('POST', `jobs/${jobId}/cancel`);
      network.answer(json([]));
    });
  });
}

export function signedHeaders(text: string, secret: string): Readonly<Record<string, string>> {
  const id = randomUUID();
  const seconds = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${text}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
  };
}
