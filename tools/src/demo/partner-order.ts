import { randomUUID } from 'node:crypto';
import { type OrderResource } from '@truetally/contracts/attribution';
import { type Answer, request } from '@truetally/processes';
import { type DemoShop } from './demo-shop.js';
import { table } from './table.js';
import { visitorHeaders } from './visitor.js';

const ROUTES = '/partner-attribution';
const MINUTE_MS = 60_000;
/** The same at every start, so that the rule is created only once. */
const RULE_FROM = '2026-01-01T00:00:00.000Z';

/** A partner sends a visitor, who buys two cups and returns one: the ledger's record of it, to the last cent. */
export async function playPartnerOrder(
  baseUrl: string,
  shop: DemoShop,
  say: (line: string) => void,
): Promise<void> {
  const backend = { 'x-api-key': shop.apiKey };
  const visitor = await visitorHeaders(baseUrl, shop);
  const story = new Story(shop.siteId);
  const steps: readonly Step[] = [
    ['The partner earns 5 %', 'commission-rules', backend, story.rule()],
    ['A visitor arrives from the partner', 'touches', visitor, { touches: [story.touch()] }],
    ['buys two cups', 'conversions', backend, story.purchase()],
    ['The same again, as after a lost answer', 'conversions', backend, story.purchase()],
    ['sends one of them back', 'conversions', backend, story.adjustment()],
  ];
  say('\nAn order that a partner brought:');
  for (const [title, route, headers, json] of steps) {
    say(
      `  ${title}: ${verdict(route, await request<Told>(`${baseUrl}${ROUTES}/${route}`, { headers, json }))}`,
    );
  }
  const query = `website_id=${shop.siteId}`;
  const order = await request<OrderResource>(`${baseUrl}${ROUTES}/orders/${story.orderId}?${query}`, {
    headers: backend,
  });
  say(`\nIn the ledger:\n${order.body.data === undefined ? order.text : described(order.body.data)}`);
}

type Step = readonly [title: string, route: string, headers: Readonly<Record<string, string>>, json: object];

/** The requests of the shop's page and backend; deterministic, so that they can be repeated. */
class Story {
  readonly orderId = `order-${randomUUID()}`;
  private readonly touchId = `touch-${randomUUID()}`;
  private readonly boughtAt = Date.now();

  constructor(private readonly siteId: string) {}

  rule(): object {
    const terms = { type: 'percentage', rate: '0.05', effective_from: RULE_FROM };
    return { website_id: this.siteId, provider: 'awin', ...terms };
  }

  touch(): object {
    return {
      schema_version: 1,
      touch_id: this.touchId,
      provider: 'awin',
      direction: 'inbound',
      provider_click_id: `awc-${this.touchId}`,
      partner_id: 'coffee-blog',
      landing_path: '/products/sku-1',
      occurred_at: new Date(this.boughtAt - MINUTE_MS).toISOString(),
      provenance: 'browser_sdk',
    };
  }

  purchase(): object {
    const line = { line_id: 'cups', sku: 'SKU-1', quantity: 2, unit_price: '18.50', subtotal: '37.00' };
    const conversion = {
      ...this.envelope('bought', 0),
      revenue: '44.04',
      commissionable_subtotal: '33.30',
      tax: '6.33',
      shipping: '4.41',
      discount: '3.70',
      lines: [{ ...line, discount: '3.70', commissionable_amount: '33.30', item_cost: '7.25' }],
      margin: { basis: 'exact', source: 'erp', amount: '18.80' },
      touch_ids: [this.touchId],
    };
    return { event_type: 'purchase', conversion };
  }

  adjustment(): object {
    const adjustment = {
      ...this.envelope('returned', 1),
      revenue_delta: '-19.81',
      commissionable_delta: '-16.65',
      tax_delta: '-3.16',
      margin_delta: '-9.40',
      reason: 'return',
      lines: [{ line_id: 'cups', quantity_delta: -1, subtotal_delta: '-18.50' }],
    };
    return { event_type: 'adjustment', adjustment };
  }

  private envelope(step: string, offsetMs: number): object {
    return {
      schema_version: 1,
      idempotency_key: `${this.orderId}-${step}`,
      website_id: this.siteId,
      order_id: this.orderId,
      occurred_at: new Date(this.boughtAt + offsetMs).toISOString(),
      currency: 'EUR',
    };
  }
}

interface Told {
  readonly state?: string;
  readonly deduplicated?: boolean;
  readonly remaining_revenue?: string;
  readonly currency?: string;
  readonly touches?: readonly { readonly status: string }[];
}

function verdict(route: string, { status, body, text }: Answer<Told>): string {
  const { data } = body;
  const answered = `POST ${ROUTES}/${route} → ${status}`;
  if (data === undefined) return `${answered} ${text}`;
  if (data.touches !== undefined)
    return `${answered}, ${data.touches.map((touch) => touch.status).join(', ')}`;
  if (data.state === undefined) return answered;
  const replay = data.deduplicated === true ? ', a replay' : '';
  return `${answered}, ${data.state}${replay}: ${data.remaining_revenue} ${data.currency} remain`;
}

function described(order: OrderResource): string {
  const entries = order.entries.map((entry) => ({
    sequence: entry.sequence,
    event_type: entry.event_type,
    revenue: entry.revenue_delta,
    commissionable: entry.commissionable_delta,
    margin: entry.margin_delta ?? '',
    commission: entry.commission_delta,
    seal: `${entry.hash.slice(0, 12)}…`,
  }));
  const columns = [
    'sequence',
    'event_type',
    'revenue',
    'commissionable',
    'margin',
    'commission',
    'seal',
  ] as const;
  const remains = {
    sequence: '',
    event_type: order.state,
    revenue: order.remaining_revenue,
    commissionable: order.remaining_commissionable,
    margin: order.remaining_margin ?? '',
    commission: order.commission,
    seal: '',
  };
  const shares = order.attribution.map(({ touch_id, outcome, reason, share }) => {
    return `  ${touch_id}: ${outcome} (${reason}), ${share} ${order.currency}`;
  });
  return [table(columns, [...entries, remains]), ...shares].join('\n');
}
