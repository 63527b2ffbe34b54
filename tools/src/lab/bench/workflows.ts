import { ManagementClient, untilKeyIsKnown } from '@truetally/testing-product';
import { eventually } from '@truetally/processes';
import { FEED_PRODUCTS, feedRows } from './feeds.js';
import { ask, openShop } from './management.js';
import { load } from './measure.js';
import type { ProductStack } from './product-stack.js';
import type { Row } from './report.js';
import { type Durations, expectOnly, freshPrefix } from './scenarios.js';
import { Endpoints, HANGING } from './webhook-endpoints.js';

const HANGING_ENDPOINTS = 50;
/** Of each, so that all that it may have under way hangs while the others are measured. */
const WAITING_EVENTS = 200;
/** More than must be reached: what is received is at most what is sent. */
const PER_SECOND = 550;
const LEAST_PER_SECOND = 500;
const MOST_DELAY_MS = 1_000;
const EVENTS_PER_REQUEST = 5;
const CONNECTIONS = 8;
const [P50, P95] = [0.5, 0.95];
const PATIENCE = { timeoutMs: 120_000 };
const NO_PREFIX = '';

/** Deliveries to an endpoint that works while many hang, and a catalogue that is read from a feed. */
export async function workflowRows(stack: ProductStack, durations: Durations): Promise<Row[]> {
  const endpoints = await Endpoints.open();
  try {
    return [
      ...(await deliveryRows(stack, endpoints, durations)),
      ...(await feedRows(stack, endpoints, FEED_PRODUCTS)),
    ];
  } finally {
    endpoints.close();
  }
}

async function deliveryRows(
  stack: ProductStack,
  endpoints: Endpoints,
  { warmUpSeconds, measureSeconds }: Durations,
): Promise<Row[]> {
  const shop = await openSender(stack);
  const workflow = (url: string, type: string): Promise<unknown> => {
    const trigger = { event_types: [type] };
    return ask(stack, 'workflows', {
      site_id: shop.siteId,
      name: url,
      trigger,
      action: { type: 'webhook', url },
    });
  };
  await workflow(`${endpoints.url}/works`, 'product_view');
  for (let n = 0; n < HANGING_ENDPOINTS; n += 1)
    await workflow(`${endpoints.url}${HANGING}/${n}`, 'partner_link_click');
  await shop.send('clicks', { amount: WAITING_EVENTS / EVENTS_PER_REQUEST });
  await eventually(() => endpoints.hanging >= HANGING_ENDPOINTS, PATIENCE);
  const pass = async (seconds: number): Promise<{ perSecond: number; delays: number[] }> => {
    endpoints.delays.clear();
    const sent = await shop.send('events', { amount: (seconds * PER_SECOND) / EVENTS_PER_REQUEST });
    await eventually(() => endpoints.delays.size >= sent, PATIENCE);
    const delays = [...endpoints.delays.values()].toSorted((left, right) => left - right);
    return { perSecond: endpoints.perSecond, delays };
  };
  await pass(warmUpSeconds);
  const hungBefore = endpoints.hanging;
  const { perSecond, delays } = await pass(measureSeconds);
  const at = (share: number): number => delays[Math.floor(share * delays.length)] ?? 0;
  return [
    {
      name: `deliveries of ${PER_SECOND} events/s to an endpoint that answers, while ${HANGING_ENDPOINTS} hang`,
      figure: `${Math.round(perSecond)}/s, all ${delays.length.toLocaleString('en')} (${endpoints.hanging - hungBefore} others hung)`,
      target: `≥ ${LEAST_PER_SECOND}/s`,
      isMet: perSecond >= LEAST_PER_SECOND,
    },
    {
      name: '— from the stored event to the first attempt',
      figure: `p50 ${at(P50)} ms, p95 ${at(P95)} ms`,
      target: `p95 ≤ ${MOST_DELAY_MS} ms`,
      isMet: at(P95) <= MOST_DELAY_MS,
    },
  ];
}

/** A site whose backend sends events at the rate that is measured. */
async function openSender(stack: ProductStack) {
  const siteId = await openShop(stack);
  const management = await ManagementClient.connect(stack.brokers, NO_PREFIX);
  try {
    const { key } = await management.createApiKey({
      workspace_id: stack.workspaceId,
      site_id: siteId,
      name: 'Backend',
      scopes: ['events:write'],
      hourly_limit: 1_000_000,
    });
    await untilKeyIsKnown(stack.baseUrl, key);
    /** @returns how many events were sent */
    const send = async (
      kind: 'clicks' | 'events',
      { amount }: { readonly amount: number },
    ): Promise<number> => {
      const result = await load({
        url: `${stack.baseUrl}/events/batch`,
        headers: { 'x-api-key': key },
        connections: CONNECTIONS,
        amount,
        requestsPerSecond: PER_SECOND / EVENTS_PER_REQUEST,
        payload: { kind, eventsPerRequest: EVENTS_PER_REQUEST, idPrefix: freshPrefix() },
      });
      expectOnly(result, ['201']);
      return amount * EVENTS_PER_REQUEST;
    };
    return { siteId, send };
  } finally {
    await management.close();
  }
}
