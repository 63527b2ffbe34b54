import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditEntryResource, WorkflowResource } from '@truetally/contracts/management';
import type { DeliveryResource } from '@truetally/contracts/outbound';
import { eventually } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { Webhook } from 'standardwebhooks';
import { resourceOf } from '../testing/catalogue.js';
import type { Merchant } from '../testing/merchant.js';
import { queryProduct } from '../testing/query-product.js';
import { purchase, type WebhookReceiver } from '../testing/webhook-receiver.js';
import {
  type CreatedWorkflow as Created,
  WebhookMerchant,
  type WebhookShop,
} from '../testing/webhook-shop.js';

const PATIENCE = { timeoutMs: 240_000 };
const SLOW = 'The endpoint did not answer within 10 s.';
/** More than the buffers of a connection hold. */
const FLOOD_BYTES = 2_000_000_000;

describe('interface page, section 10: endpoints that fail', () => {
  let webhooks: WebhookMerchant;
  let receiver: WebhookReceiver;
  let product: Product;
  let merchant: Merchant;
  let shop: WebhookShop;

  beforeAll(async () => {
    webhooks = await WebhookMerchant.open();
    ({ receiver, product, merchant } = webhooks);
  });

  // A site of its own for each test, whose purchases reach no other one's workflows.
  beforeEach(async () => {
    shop = await webhooks.openShop();
  });

  afterAll(() => webhooks.close());

  const send = async (orderId: string): Promise<void> => {
    expect((await shop.track({ ...purchase(orderId), session_id: orderId })).status).toBe(201);
  };
  const deliveryOf = async (workflow: Created): Promise<DeliveryResource | undefined> =>
    (await shop.deliveriesOf(workflow))[0];
  const attempted = (workflow: Created): Promise<DeliveryResource> =>
    eventually(
      async () => {
        const delivery = await deliveryOf(workflow);
        return delivery?.attempts.length ? delivery : undefined;
      },
      { ...PATIENCE, message: `an attempt of ${workflow.name}` },
    );
  const read = async (id: string): Promise<WorkflowResource> =>
    resourceOf(await merchant.get<WorkflowResource>(`workflows/${id}`));
  const onQueue = (sql: string, workflow: Created): Promise<unknown> =>
    queryProduct(product, 'outbound', sql, [workflow.id]);

  it('each fault has its words, and none delays an endpoint that works', async () => {
    const timers: NodeJS.Timeout[] = [];
    let flooded = 0;
    receiver.answer('hangs', () => undefined);
    receiver.answer('drips', (response) => {
      response.writeHead(200);
      timers.push(setInterval(() => response.write('.'), 200));
    });
    receiver.answer('closes', (response) => response.destroy());
    receiver.answer('closes-early', (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy());
    });
    receiver.answer('redirects', (response) => response.writeHead(307, { location: '/works' }).end());
    receiver.answer('refuses', (response) => response.writeHead(410).end('gone'));
    receiver.answer('breaks', (response) => response.writeHead(500).end());
    receiver.answer('raw', (response) => response.socket?.end('SSH-2.0-server\r\n\r\n'));
    receiver.answer('floods', (response) => {
      const chunk = Buffer.alloc(65_536, 'x');
      const more = (): void => {
        while (flooded < FLOOD_BYTES && !response.destroyed) {
          flooded += chunk.length;
          if (!response.write(chunk)) break;
        }
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const expected: readonly (readonly [string, number | null, string | null])[] = [
      ['hangs', null, SLOW],
      ['drips', null, SLOW],
      ['closes', null, 'The endpoint closed the connection without an answer.'],
      ['closes-early', 200, null],
      ['redirects', 307, 'The endpoint answered 307; redirects are not followed.'],
      ['refuses', 410, 'The endpoint answered 410.'],
      ['breaks', 500, 'The endpoint answered 500.'],
      ['raw', null, 'The endpoint does not speak HTTP.'],
      ['floods', 200, null],
    ];
    const works = await shop.create('works');
    const failing: Created[] = [];
    for (const [path] of expected) failing.push(await shop.create(path));
    await send('fault-1');
    expect((await attempted(works)).status).toBe('delivered');
    for (const [at, [path, status, error]] of expected.entries()) {
      const delivery = await attempted(failing[at] as Created);
      expect([path, delivery.attempts[0]]).toMatchObject([path, { status, error }]);
      const outcome = status === 410 ? 'dead' : 'pending';
      expect([path, delivery.status]).toEqual([path, error === null ? 'delivered' : outcome]);
      expect(delivery.attempts[0]?.response?.length ?? 0).toBeLessThanOrEqual(1_024);
    }
    expect(receiver.at('works')).toHaveLength(1);
    expect(flooded).toBeLessThan(FLOOD_BYTES / 10);
    for (const timer of timers) clearInterval(timer);
    for (const { id } of failing) await merchant.delete(`workflows/${id}`);
  }, 600_000);

  it('a workflow that has only failed for three days is disabled, which the audit log tells', async () => {
    receiver.answer('always-fails', (response) => response.writeHead(500).end());
    const workflow = await shop.create('always-fails');
    await send('three-days');
    await attempted(workflow);
    expect(await read(workflow.id)).toMatchObject({ enabled: true, disabled_reason: null });
    await onQueue(
      "update queues set failing_since = now() - interval '3 days 1 second' where workflow_id = $1",
      workflow,
    );
    await eventually(async () => !(await read(workflow.id)).enabled, PATIENCE);
    expect(await read(workflow.id)).toMatchObject({ enabled: false, disabled_reason: 'failing' });
    const path = `audit-log?resource=workflow&resource_id=${workflow.id}`;
    const log = resourceOf(await merchant.get<{ items: AuditEntryResource[] }>(path)).items;
    expect(log.map(({ action }) => action)).toEqual(['disable', 'create']);
    const enabled = await merchant.patch(`workflows/${workflow.id}`, { enabled: true });
    expect(enabled.body.data).toMatchObject({ enabled: true, disabled_reason: null });
    await merchant.delete(`workflows/${workflow.id}`);
  }, 600_000);

  it('a delivery of a disabled workflow is dead after its 24 hours, and is sent by a replay', async () => {
    receiver.answer('disabled', (response) => response.writeHead(503).end());
    const workflow = await shop.create('disabled');
    await send('waiting');
    const { id } = await attempted(workflow);
    const change = (enabled: boolean) => merchant.patch(`workflows/${workflow.id}`, { enabled });
    expect((await change(false)).status).toBe(200);
    await onQueue(
      "update deliveries set deadline_at = now() - interval '1 second' where workflow_id = $1",
      workflow,
    );
    await eventually(async () => (await deliveryOf(workflow))?.status === 'dead', PATIENCE);
    expect(await deliveryOf(workflow)).toMatchObject({ id, next_attempt_at: null });
    receiver.answer('disabled', (response) => response.end());
    expect((await change(true)).status).toBe(200);
    const replayed = await merchant.post(`workflows/${workflow.id}/deliveries/${id}/replay`, null);
    expect(replayed.status).toBe(200);
    await eventually(async () => (await deliveryOf(workflow))?.status === 'delivered', PATIENCE);
  }, 600_000);

  it('a new secret signs beside the one before it', async () => {
    const workflow = await shop.create('rotated');
    const patched = await merchant.patch<Created>(`workflows/${workflow.id}`, { action: { secret: null } });
    const secrets = [workflow.action.secret, resourceOf(patched).action.secret];
    expect(new Set(secrets).size).toBe(2);
    // The list is answered once the sender knows the change: what happens before may be signed with one secret.
    await deliveryOf(workflow);
    await send('rotated');
    await eventually(() => receiver.at('rotated').length > 0, PATIENCE);
    const [first] = receiver.at('rotated');
    for (const secret of secrets) {
      const verified = new Webhook(secret ?? '').verify(first?.body ?? '', first?.headers ?? {});
      expect(verified).toMatchObject({ type: 'purchase' });
    }
    expect(first?.headers['webhook-signature']?.split(' ')).toHaveLength(2);
  }, 600_000);
});
