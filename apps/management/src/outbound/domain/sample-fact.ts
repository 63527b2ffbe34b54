import type { TriggerFact } from './trigger-fact.js';

/** Of an order in euros, as the ledger writes amounts. */
const AMOUNT = '129.90';

interface SampleInput {
  readonly siteId: string;
  readonly type: string;
  readonly id: string;
  /** Names the order of an entry. */
  readonly conversionId: string;
  readonly nowMs: number;
}

/** What a test delivers: an event or an entry of that type with sample data, under ids that nothing else has. */
export function sampleFact({ siteId, type, id, conversionId, nowMs }: SampleInput): TriggerFact {
  const at = new Date(nowMs).toISOString();
  const shared = {
    siteId,
    type,
    subject: `test:${id}`,
    key: `test:${id}`,
    atMs: nowMs,
    timestamp: at,
  };
  if (type.startsWith('conversion.')) {
    const orderId = 'test-order';
    const data = {
      record_id: id,
      conversion_id: conversionId,
      order_id: orderId,
      site_id: siteId,
      ...entryOf(type, at),
    };
    return { ...shared, eventId: null, recordId: id, orderId, fields: data, data };
  }
  const data = {
    event_id: id,
    site_id: siteId,
    event_type: type,
    session_id: 'test-session',
    user_id: null,
    client_event_id: null,
    occurred_at: at,
    received_at: at,
    is_bot: false,
    properties: propertiesOf(type),
    context: { page_url: 'https://shop.example/test', user_agent: 'Test/1' },
  };
  return { ...shared, eventId: id, recordId: null, orderId: null, fields: data, data };
}

function entryOf(type: string, at: string) {
  const isPurchase = type === 'conversion.purchase';
  const isCancellation = type === 'conversion.cancellation';
  return {
    order_sequence: isPurchase ? 1 : 2,
    state: isPurchase ? 'recorded' : isCancellation ? 'cancelled' : 'adjusted',
    currency: 'EUR',
    occurred_at: at,
    recorded_at: at,
    revenue_delta: isPurchase ? AMOUNT : isCancellation ? `-${AMOUNT}` : '-10.00',
    commissionable_delta: isPurchase ? '100.00' : isCancellation ? '-100.00' : '-8.00',
    remaining_revenue: isPurchase ? AMOUNT : isCancellation ? '0.00' : '119.90',
    remaining_commissionable: isPurchase ? '100.00' : isCancellation ? '0.00' : '92.00',
    reason: isPurchase || isCancellation ? null : 'return',
  };
}

/** What the catalogue of events demands of each type, and nothing more. */
function propertiesOf(type: string): object {
  const id = 'test';
  const samples: Readonly<Record<string, object>> = {
    purchase: { order_id: 'test-order', total: 129.9, currency: 'EUR' },
    search: { query: 'test' },
    custom: { event_name: 'test' },
    chatbot_message: { message: 'test' },
    page_view: {},
    partner_link_click: { provider: 'awin', destination_url: 'https://partner.example/test' },
  };
  if (type.startsWith('overlay_')) return { overlay_id: id, campaign_id: id };
  if (type.startsWith('quiz_'))
    return { overlay_id: id, campaign_id: id, quiz_id: id, question_id: id, answer_id: id, result_id: id };
  if (type.startsWith('recommendation_')) return { recommendation_id: id, campaign_id: id, product_id: id };
  return samples[type] ?? { product_id: id };
}
