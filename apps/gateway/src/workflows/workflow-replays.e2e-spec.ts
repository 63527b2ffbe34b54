import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JobResource } from '@truetally/contracts/jobs';
import type { WorkflowResource } from '@truetally/contracts/management';
import type { StartedReplay } from '@truetally/contracts/outbound';
import { eventually } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { resourceOf } from '../testing/catalogue.js';
import type { Merchant } from '../testing/merchant.js';
import { queryProduct } from '../testing/query-product.js';
import { orderIn, type WebhookReceiver } from '../testing/webhook-receiver.js';
import { WebhookMerchant } from '../testing/webhook-shop.js';

const PATIENCE = { timeoutMs: 240_000 };
/** More than a range may have queued ahead of its endpoint, ten times over. */
const DELIVERIES = 2_000;
const MOST_QUEUED_AHEAD = 200;
const DAY_MS = 86_400_000;

describe('interface page, section 10: the replay of a range', () => {
  let webhooks: WebhookMerchant;
  let receiver: WebhookReceiver;
  let product: Product;
  let merchant: Merchant;

  beforeAll(async () => {
    webhooks = await WebhookMerchant.open();
    ({ receiver, product, merchant } = webhooks);
  });

  afterAll(() => webhooks.close());

  /** Deliveries of a while ago: a second apart, their order's number is their place. */
  const deliveredBefore = ({ id, site_id }: WorkflowResource, count: number): Promise<unknown> =>
    queryProduct(
      product,
      'outbound',
      `with told as (
         insert into facts (site_id, fact_key, body)
         select $2, 'event:' || n,
           json_build_object('type', 'purchase', 'data', json_build_object('properties', json_build_object('order_id', n::text)))
         from generate_series(0, $3 - 1) as n)
       insert into deliveries (delivery_id, workflow_id, site_id, fact_key, subject, event_type, event_id, is_test, lane,
         status, attempt_count, tries, created_at, deadline_at)
       select gen_random_uuid(), $1, $2, 'event:' || n, 'session:' || n, 'purchase', 'event-' || n,
         false, 1, 'delivered', 1, 1, now() - interval '1 day' + n * interval '1 second', now()
       from generate_series(0, $3 - 1) as n`,
      [id, site_id, count],
    );

  it('a range that is cancelled half way sends its oldest part, what was queued ahead, and no more', async () => {
    const shop = await webhooks.openShop();
    const workflow = await shop.create('range');
    await deliveredBefore(workflow, DELIVERIES);
    const range = {
      from: new Date(Date.now() - 2 * DAY_MS).toISOString(),
      to: new Date(Date.now() + DAY_MS).toISOString(),
      statuses: ['delivered'],
    };
    const path = `workflows/${workflow.id}/deliveries`;
    const begun = resourceOf(await merchant.post<StartedReplay>(`${path}/replay`, range));
    expect(begun.matched).toBe(DELIVERIES);
    await eventually(() => receiver.at('range').length >= DELIVERIES / 2, PATIENCE);
    const cancelled = await merchant.post<JobResource>(`jobs/${begun.job_id}/cancel`, null);
    expect(cancelled.status).toBe(200);
    const job = await eventually(async () => {
      const found = resourceOf(await merchant.get<JobResource>(`jobs/${begun.job_id}`));
      return found.finished_at !== null && found;
    }, PATIENCE);
    expect([job.state, job.total]).toEqual(['cancelled', DELIVERIES]);
    await eventually(
      async () => (await shop.deliveriesOf(workflow, '?status=pending')).length === 0,
      PATIENCE,
    );
    const orders = receiver.at('range').map(({ body }) => Number(orderIn(body)));
    const sent = [...new Set(orders)].toSorted((left, right) => left - right);
    expect(sent).toEqual(Array.from({ length: sent.length }, (_, n) => n));
    // A piece that was under way is not among the job's any more.
    expect(sent.length - job.done).toBeGreaterThanOrEqual(0);
    expect(sent.length - job.done).toBeLessThanOrEqual(MOST_QUEUED_AHEAD);
    expect(sent.length).toBeLessThan(DELIVERIES);
    const overtaken = orders.map((order, place) => Math.abs(order - place));
    expect(Math.max(...overtaken)).toBeLessThanOrEqual(MOST_QUEUED_AHEAD);
  }, 600_000);
});
