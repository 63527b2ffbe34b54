import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IntegrationResource } from '@truetally/contracts/management';
import { type Answer, eventually, request } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { half, json, NetworkServer, transaction } from './network-server.js';
import { dataOf, Publisher } from './publisher.js';

const MARCH = { from: '2026-03-01', to: '2026-04-01' };

interface Signed {
  readonly id?: string;
  readonly atMs?: number;
  readonly secret?: string;
  readonly type?: string;
}

/** Sends a message of a platform worker. */
export function sendSigned(
  product: Product,
  body: object,
  said: Signed = {},
): Promise<Answer<{ job_id: string }>> {
  const { id = randomUUID(), atMs = Date.now(), type = 'settlements.pull' } = said;
  const secret = said.secret ?? product.installation.secrets.workerSecret;
  const text = JSON.stringify(body);
  const seconds = String(Math.floor(atMs / 1_000));
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${text}`).digest('base64');
  return request(`${product.baseUrl}/integrations/jobs/${type}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': `v1,AAAA v1,${signature}`,
    },
    body: text,
  });
}

export function whatIsPulled(product: () => Product): void {
  describe('what is pulled from networks', () => {
    let network: NetworkServer;
    let publisher: Publisher;
    let id: string;

    /** A publisher whose accounts have unused call limits: 20 calls a minute are soon used up. */
    const connect = async (): Promise<void> => {
      publisher = await Publisher.open(product());
      const body = {
        site_id: publisher.site.id,
        provider: 'awin',
        credentials: { publisher_id: '45628', api_token: 'token-of-the-merchant' },
        base_url: network.url,
      };
      id = dataOf(await publisher.owner.post<IntegrationResource>('integrations', body)).id;
    };

    beforeAll(async () => {
      network = await NetworkServer.start();
      await connect();
    });

    afterAll(() => network.stop());

    const integration = async (): Promise<IntegrationResource> =>
      dataOf(await publisher.owner.get<IntegrationResource>(`integrations/${id}`));
    const firstPull = (): Promise<IntegrationResource> =>
      eventually(
        async () => {
          const found = await integration();
          return found.last_sync_at === null ? undefined : found;
        },
        { message: 'the first pull to end' },
      );
    const asked = () => ({ site_id: publisher.site.id, integration_id: id });
    const pull = async () => publisher.finished(dataOf(await sendSigned(product(), asked())).job_id);
    const settlement = async () =>
      (await publisher.settlements('awin')).find((one) => one.provider_transaction_id === '259630312');

    it('an integration is pulled as soon as it is there, with its token in a header', async () => {
      const synced = await firstPull();
      expect(synced).toMatchObject({ status: 'connected', last_error: null });
      expect(network.asked.length).toBeGreaterThanOrEqual(6);
      for (const { url, token } of network.asked) {
        expect(url).toMatch(/^\/publishers\/45628\/transactions\/\?startDate=/);
        expect([url.includes('token-of'), token]).toEqual([false, 'Bearer token-of-the-merchant']);
      }
    });

    it('a transaction that changes is followed, and every state of it kept', async () => {
      network.answer(json([transaction()]));
      expect(await pull()).toMatchObject({ type: 'settlements.pull', state: 'completed', failed: 0 });
      expect(await settlement()).toMatchObject({
        status: 'pending',
        commission_amount: '5.59',
        currency: 'GBP',
      });
      network.answer(
        json([transaction({ commissionStatus: 'approved', validationDate: '2026-03-20T00:00:00' })]),
      );
      await pull();
      // Amended without a date of its own: the time of observation counts.
      const amended = transaction({
        commissionStatus: 'approved',
        validationDate: '2026-03-20T00:00:00',
        commissionAmount: { amount: 4, currency: 'GBP' },
      });
      network.answer(json([amended]));
      await pull();
      await pull();
      const kept = await settlement();
      expect(kept?.history.map(({ status, commission_amount }) => [status, commission_amount])).toEqual([
        ['pending', '5.59'],
        ['approved', '5.59'],
        ['approved', '4.00'],
      ]);
      const report = await publisher.reportWhen(MARCH, (one) => one.settlements.approved === 1);
      expect(report.currencies).toMatchObject([
        { currency: 'GBP', commission: { approved: '4.00', pending: '0.00' } },
      ]);
    });

    it('what is refused for now is asked again: throttling, errors, half answers', async () => {
      await connect();
      await firstPull();
      const slow = json({ error: 'too many' }, 429, { 'retry-after': '1' });
      network.answer(json([transaction({ id: 7 })]), slow, json({}, 500), half, json({ error: 'odd' }));
      expect(await pull()).toMatchObject({ state: 'completed', failed: 0 });
      expect(await integration()).toMatchObject({ status: 'connected', last_error: null });
    });

    it('a row that is wrong stops no other', async () => {
      const broken = transaction({ id: 8, commissionAmount: { amount: 1, currency: 'XXX' } });
      network.answer(json([broken, transaction({ id: 9 })]));
      const job = await pull();
      expect(job.failed).toBeGreaterThan(0);
      expect(job.errors[0]).toMatchObject({ row: 1 });
      const ids = (await publisher.settlements('awin')).map((one) => one.provider_transaction_id);
      expect([ids.includes('8'), ids.includes('9')]).toEqual([false, true]);
    });

    it('credentials that a network refuses fail the job, and the integration says so', async () => {
      network.answer(json({ error: 'unauthorized' }, 401));
      expect(await pull()).toMatchObject({ state: 'failed' });
      await eventually(async () => (await integration()).status === 'failing');
      expect((await integration()).last_error).toContain('refused the credentials');
      network.answer(json([]));
      await pull();
      await eventually(async () => (await integration()).status === 'connected');
      expect((await integration()).last_error).toBeNull();
    });

    it('no address inside our own house is called', async () => {
      const base_url = 'http://169.254.7.7/latest';
      expect((await publisher.owner.patch(`integrations/${id}`, { base_url })).status).toBe(200);
      expect(await pull()).toMatchObject({ state: 'failed' });
      await eventually(async () => (await integration()).status === 'failing');
      expect((await integration()).last_error).toContain('private');
      expect((await publisher.owner.patch(`integrations/${id}`, { base_url: network.url })).status).toBe(200);
    });

    it('a message is taken when it is signed, of now, and for the first time', async () => {
      const body = asked();
      const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
      const minutes = 60_000;
      const statusOf = async (said: Signed): Promise<number> =>
        (await sendSigned(product(), body, said)).status;
      expect(await statusOf({ secret })).toBe(401);
      const ofAnother = await sendSigned(product(), { ...asked(), type: 'products.sync' });
      expect(ofAnother.status).toBe(401);
      expect(await statusOf({ atMs: Date.now() - 6 * minutes })).toBe(401);
      expect(await statusOf({ atMs: Date.now() + 6 * minutes })).toBe(401);
      const taken = randomUUID();
      expect(await statusOf({ id: taken })).toBe(202);
      expect(await statusOf({ id: taken })).toBe(401);
      // Also where it would find nothing any more.
      for (const gone of [{ site_id: randomUUID() }, { ...body, integration_id: randomUUID() }])
        expect((await sendSigned(product(), gone, { id: taken })).status).toBe(401);
      expect(await statusOf({ type: 'settlements.push' })).toBe(404);
      expect((await sendSigned(product(), { site_id: randomUUID() })).status).toBe(404);
      expect((await sendSigned(product(), { site_id: 'x' })).status).toBe(400);
      const url = `${product().baseUrl}/integrations/jobs/settlements.pull`;
      const unsigned = await request(url, { json: body, headers: publisher.bearer() });
      expect([unsigned.status, unsigned.headers.get('www-authenticate')]).toEqual([401, expect.any(String)]);
    });
  });
}
