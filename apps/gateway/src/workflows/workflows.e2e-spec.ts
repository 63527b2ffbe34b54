import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowResource } from '@truetally/contracts/management';
import type { DeliveryResource, StartedReplay } from '@truetally/contracts/outbound';
import { eventually, request } from '@truetally/testing';
import { plainPurchase, type Product } from '@truetally/testing-product';
import { Webhook } from 'standardwebhooks';
import { resourceOf } from '../testing/catalogue.js';
import type { Merchant } from '../testing/merchant.js';
import {
  orderIn,
  purchase,
  type ReceivedWebhook,
  type WebhookReceiver,
} from '../testing/webhook-receiver.js';
import {
  type CreatedWorkflow as Created,
  WebhookMerchant,
  type WebhookShop,
} from '../testing/webhook-shop.js';

const PATIENCE = { timeoutMs: 240_000 };

describe('interface page, section 10: workflows', () => {
  let webhooks: WebhookMerchant;
  let receiver: WebhookReceiver;
  let product: Product;
  let merchant: Merchant;
  let shop: WebhookShop;
  let url: string;

  beforeAll(async () => {
    webhooks = await WebhookMerchant.open();
    ({ receiver, product, merchant } = webhooks);
    ({ url } = receiver);
    shop = await webhooks.openShop();
  });

  afterAll(() => webhooks.close());

  const at = (path: string): readonly ReceivedWebhook[] => receiver.at(path);

  it('a workflow shows its secret once, and is created, read, listed, changed and deleted', async () => {
    const answer = await shop.post('crud');
    expect([answer.status, answer.headers.get('etag')]).toEqual([201, '"1"']);
    const { action, ...created } = resourceOf(answer);
    expect(action).toEqual({
      type: 'webhook',
      url: `${url}/crud`,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]+=*$/),
    });
    const shown = { type: 'webhook', url: `${url}/crud` };
    const read = await merchant.get<WorkflowResource>(`workflows/${created.id}`);
    expect(read.body.data).toEqual({ ...created, action: shown });
    expect(read.body.data).toMatchObject({
      enabled: true,
      disabled_reason: null,
      last_delivered_at: null,
      trigger: { event_types: ['purchase'], match: 'all', conditions: [] },
    });
    const list = await merchant.get<{ items: WorkflowResource[] }>(`workflows?site_id=${shop.site.id}`);
    expect((list.body.data as { items: WorkflowResource[] }).items[0]?.action).toEqual(shown);
    const changed = await merchant.patch<Created>(`workflows/${created.id}`, { enabled: false });
    expect(changed.body.data).toMatchObject({
      enabled: false,
      disabled_reason: 'member',
      version: 2,
      action: shown,
    });
    const rotated = await merchant.patch<Created>(`workflows/${created.id}`, {
      enabled: true,
      action: { secret: null },
    });
    expect(rotated.body.data).toMatchObject({
      enabled: true,
      disabled_reason: null,
      action: { ...shown, secret: expect.stringMatching(/^whsec_/) },
    });
    expect((await merchant.delete(`workflows/${created.id}`)).status).toBe(200);
    expect((await merchant.get(`workflows/${created.id}`)).status).toBe(404);
  });

  it('every broken rule is named, and an address inside of a network is refused', async () => {
    const broken = await merchant.post('workflows', {
      site_id: shop.site.id,
      name: '',
      trigger: {
        event_types: ['refund'],
        conditions: [
          { field: 'propertys.total', operator: 'gt', value: true },
          { field: 'properties.total', operator: 'like', value: 1 },
        ],
      },
      action: { type: 'webhook', url: 'ftp://crm.example', secret: 'S3cret' },
    });
    expect(broken.status).toBe(400);
    expect(Object.keys(broken.body.error?.details ?? {}).toSorted()).toEqual([
      'action.secret',
      'action.url',
      'name',
      'trigger.conditions.0.field',
      'trigger.conditions.0.value',
      'trigger.conditions.1.operator',
      'trigger.event_types.0',
    ]);
    expect(JSON.stringify(broken.body)).not.toContain('S3cret');
    for (const inner of [
      'http://10.0.0.1/',
      'http://[::ffff:10.0.0.1]/',
      'http://[64:ff9b::a00:1]/',
      'http://0x7f.2/',
      'http://169.254.169.254/latest',
    ]) {
      const refused = await shop.post('', { action: { type: 'webhook', url: inner } });
      expect([inner, refused.status]).toEqual([inner, 400]);
      expect(Object.keys(refused.body.error?.details ?? {})).toEqual(['action.url']);
    }
    const action = { secret: 'S3cret', url: 'http://10.0.0.1/' };
    const change = await merchant.patch(`workflows/${(await shop.create('x')).id}`, { name: '', action });
    expect(Object.keys(change.body.error?.details ?? {})).toEqual(['name', 'action.secret', 'action.url']);
  });

  it('a change to an address that is no webhook’s is told so, wherever its host leads', async () => {
    const { id } = await shop.create('changed');
    for (const url of ['ftp://10.0.0.1/', 'mailto:me@crm.example', 'crm']) {
      const { body } = await merchant.patch(`workflows/${id}`, { action: { url } });
      expect(body.error?.details['action.url']).toEqual([expect.stringContaining('absolute http(s) URL')]);
    }
  });

  it('a server event is delivered, signed by Standard Webhooks, and a browser event triggers nothing', async () => {
    const workflow = await shop.create('signed', {
      trigger: {
        event_types: ['purchase'],
        conditions: [{ field: 'properties.total', operator: 'gte', value: 50 }],
      },
    });
    const origin = shop.site.allowed_origins[0] ?? '';
    const minted = await request<{ token: string }>(`${product.baseUrl}/runtime/tokens`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: origin },
      body: JSON.stringify({ site_id: shop.site.id }),
    });
    const token = (minted.body.data as { token: string }).token;
    const browser = { Authorization: `Bearer ${token}`, Origin: origin };
    expect((await shop.track(purchase('from-browser'), browser)).status).toBe(201);
    expect((await shop.track(purchase('too-small', 49))).status).toBe(201);
    const digits = '12345678901234567890.10';
    const properties = { order_id: 'order-1', total: 50, points: JSON.rawJSON(digits) };
    const stored = await shop.track({ event_type: 'purchase', properties });
    const { event_id: eventId } = stored.body.data as { event_id: string };
    await eventually(() => at('signed').length > 0, PATIENCE);
    const [first] = at('signed');
    const verified = new Webhook(workflow.action.secret ?? '').verify(
      first?.body ?? '',
      first?.headers ?? {},
    );
    expect(verified).toMatchObject({
      type: 'purchase',
      data: { event_id: eventId, properties: { order_id: 'order-1', total: 50 } },
    });
    expect(first?.body).toContain(`"points":${digits}`);
    await eventually(
      async () => (await shop.deliveriesOf(workflow, '?status=delivered')).length === 1,
      PATIENCE,
    );
    const items = await shop.deliveriesOf(workflow);
    expect(items).toEqual([
      {
        id: expect.any(String),
        workflow_id: workflow.id,
        webhook_id: first?.headers['webhook-id'],
        event_type: 'purchase',
        event_id: eventId,
        record_id: null,
        order_id: null,
        status: 'delivered',
        test: false,
        created_at: expect.any(String),
        next_attempt_at: null,
        attempts: [
          {
            at: expect.any(String),
            status: 200,
            latency_ms: expect.any(Number),
            error: null,
            response: 'thank you',
            replay: false,
          },
        ],
      },
    ]);
    expect(await shop.deliveriesOf(workflow, `?event_id=${eventId}`)).toHaveLength(1);
    expect(await shop.deliveriesOf(workflow, '?order_id=other')).toEqual([]);
    await eventually(async () => {
      const read = await merchant.get<WorkflowResource>(`workflows/${workflow.id}`);
      return read.body.data?.last_delivered_at !== null;
    }, PATIENCE);
  });

  it('a ledger entry is delivered with its record and order', async () => {
    const workflow = await shop.create('ledger', { trigger: { event_types: ['conversion.purchase'] } });
    const recorded = await request<{ record_id: string }>(
      `${product.baseUrl}/partner-attribution/conversions`,
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-API-Key': shop.key },
        body: JSON.stringify(
          plainPurchase({
            siteId: shop.site.id,
            orderId: 'ledger-order',
            occurredAt: new Date().toISOString(),
          }),
        ),
      },
    );
    expect(recorded.status).toBe(201);
    await eventually(() => at('ledger').length > 0, PATIENCE);
    const { record_id: recordId } = recorded.body.data as { record_id: string };
    expect(JSON.parse(at('ledger')[0]?.body ?? '')).toMatchObject({
      type: 'conversion.purchase',
      data: { record_id: recordId, order_id: 'ledger-order' },
    });
    const items = await shop.deliveriesOf(workflow, '?order_id=ledger-order');
    expect(items[0]).toMatchObject({ event_id: null, record_id: recordId, order_id: 'ledger-order' });
  });

  it('a failed delivery is tried again in order, a redirect is not followed, and a replay has its own mark', async () => {
    const workflow = await shop.create('failing');
    let calls = 0;
    receiver.answer('failing', (response) => {
      calls += 1;
      if (calls === 1)
        response.writeHead(302, { Location: `${url}/elsewhere` }).end('go \u0007on whsec_' + 'A'.repeat(40));
      else response.end();
    });
    await shop.track(purchase('failing-1'));
    await shop.track(purchase('failing-2'));
    await eventually(
      async () => (await shop.deliveriesOf(workflow, '?status=delivered')).length === 2,
      PATIENCE,
    );
    expect(at('elsewhere')).toEqual([]);
    const orders = at('failing').map(({ body }) => orderIn(body));
    expect(orders).toEqual(['failing-1', 'failing-1', 'failing-2']);
    // Not by its place in the list: two deliveries made in one millisecond have no order.
    const oldest = (await shop.deliveriesOf(workflow)).find(({ attempts }) => attempts.length > 1);
    expect(oldest?.attempts[0]).toMatchObject({
      status: 302,
      error: 'The endpoint answered 302; redirects are not followed.',
      response: 'go on [redacted]',
    });
    const wait = Date.parse(oldest?.attempts[1]?.at ?? '') - Date.parse(oldest?.attempts[0]?.at ?? '');
    expect(wait).toBeGreaterThanOrEqual(1_000);
    const path = `workflows/${workflow.id}/deliveries/${oldest?.id}/replay`;
    const replayed = await merchant.post<DeliveryResource>(path, null);
    expect([replayed.status, replayed.body.data?.status]).toEqual([200, 'pending']);
    await eventually(() => at('failing').length === 4, PATIENCE);
    const [one, , , again] = at('failing');
    expect([again?.body, again?.headers['webhook-id']]).toEqual([one?.body, one?.headers['webhook-id']]);
    await eventually(async () => {
      const read = await merchant.get<DeliveryResource>(`workflows/${workflow.id}/deliveries/${oldest?.id}`);
      return read.body.data?.attempts.at(-1)?.replay === true;
    }, PATIENCE);
    await merchant.patch(`workflows/${workflow.id}`, { enabled: false });
    expect((await merchant.post(path, null)).status).toBe(409);
  });

  it('a test is sent while the workflow is disabled, and a range is replayed by a job', async () => {
    const day = new Date().toISOString().slice(0, 10);
    const workflow = await shop.create('tested', { enabled: false });
    const tested = await merchant.post<DeliveryResource>(`workflows/${workflow.id}/test`, {
      event_type: 'conversion.purchase',
    });
    expect(tested.status).toBe(201);
    expect(tested.body.data).toMatchObject({
      test: true,
      event_type: 'conversion.purchase',
      status: 'pending',
    });
    await eventually(() => at('tested').length === 1, PATIENCE);
    await merchant.patch(`workflows/${workflow.id}`, { enabled: true });
    for (const order of ['a', 'b', 'c']) await shop.track(purchase(`range-${order}`));
    await eventually(
      async () => (await shop.deliveriesOf(workflow, '?status=delivered')).length === 4,
      PATIENCE,
    );
    const impossible = { from: '2026-02-30', to: '2026-03-01' };
    const refused = await merchant.post(`workflows/${workflow.id}/deliveries/replay`, impossible);
    expect([refused.status, Object.keys(refused.body.error?.details ?? {})]).toEqual([400, ['from']]);
    const next = new Date(Date.now() + 86_400_000 * 2).toISOString();
    const dead = await merchant.post<StartedReplay>(`workflows/${workflow.id}/deliveries/replay`, {
      from: new Date(0).toISOString(),
      to: next,
    });
    expect([dead.status, dead.body.data?.matched]).toEqual([202, 0]);
    const begun = await merchant.post<StartedReplay>(`workflows/${workflow.id}/deliveries/replay`, {
      from: day,
      to: next,
      statuses: ['delivered'],
    });
    expect([begun.status, begun.body.data?.matched]).toEqual([202, 3]);
    await eventually(async () => {
      const job = await merchant.get<{ state: string; done: number }>(`jobs/${begun.body.data?.job_id}`);
      return job.body.data?.state === 'completed' && job.body.data.done === 3;
    }, PATIENCE);
    await eventually(() => at('tested').length === 7, PATIENCE);
    const orders = at('tested')
      .slice(4)
      .map(({ body }) => orderIn(body));
    expect(orders.toSorted()).toEqual(['range-a', 'range-b', 'range-c']);
  });
});
