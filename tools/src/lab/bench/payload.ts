/** What a load job sends. */
export type Payload = EventPayload | ClickPayload | PurchasePayload | ProductPayload | SessionPayload;

interface Repeatable {
  /** Separates runs: the same prefix and number is the same event or order. */
  readonly idPrefix: string;
  /** After this many requests the ids repeat, so that every further request is a duplicate. */
  readonly distinctRequests?: number;
  /** 1 sends a bare event, more send `{ events: [...] }`. */
  readonly eventsPerRequest: number;
}

/** An ordinary storefront event, alone or in batches, with new or repeated ids. */
export interface EventPayload extends Repeatable {
  readonly kind: 'events';
}

/** A click on a partner's link, alone or in batches; its reference is its id. */
export interface ClickPayload extends Repeatable {
  readonly kind: 'clicks';
}

/** An ordinary order, with new or repeated ids. */
export interface PurchasePayload extends Repeatable {
  readonly kind: 'purchases';
  readonly eventsPerRequest: 1;
  readonly siteId: string;
  readonly lines: number;
  /** A repeated order must have the same time. */
  readonly occurredAt: string;
}

/** An ordinary product, alone or in batches, with new or repeated ids. */
export interface ProductPayload extends Repeatable {
  readonly kind: 'products';
  readonly siteId: string;
}

/** A page's request for the arms of a session, with new or repeated ids. */
export interface SessionPayload extends Repeatable {
  readonly kind: 'sessions';
  readonly eventsPerRequest: 1;
}

const ID_MARK = '@@ID@@';
const OCCURRED_AT = new Date().toISOString();

/** The common parts of every body of one run; the body's own id goes between them. */
export function bodyPieces(payload: Payload): readonly string[] {
  return template(payload).split(ID_MARK);
}

/** The bodies of one run, each joined from prepared parts, so that they cost the generator little. */
export function bodyFactory(payload: Payload): () => string {
  const pieces = bodyPieces(payload);
  const distinct = payload.distinctRequests ?? Number.MAX_SAFE_INTEGER;
  let sequence = 0;
  return () => pieces.join(`${payload.idPrefix}-${(sequence++ % distinct).toString(36)}`);
}

function template(payload: Payload): string {
  if (payload.kind === 'purchases') return JSON.stringify(purchase(ID_MARK, payload));
  if (payload.kind === 'sessions') return JSON.stringify({ session_id: ID_MARK });
  if (payload.kind === 'products') return JSON.stringify(products(ID_MARK, payload));
  const { eventsPerRequest } = payload;
  const make = payload.kind === 'clicks' ? click : event;
  if (eventsPerRequest === 1) return JSON.stringify(make(ID_MARK));
  const events = Array.from({ length: eventsPerRequest }, (_, index) => make(`${ID_MARK}-${index}`));
  return JSON.stringify({ events });
}

/** As long as an ordinary event: only the processing differs. */
export function click(id: string): object {
  return {
    ...event(id),
    event_type: 'partner_link_click',
    properties: {
      provider: 'awin',
      click_reference: id,
      destination_url: 'https://partner.example/women/knitwear/merino-jumper?colour=navy',
      content_id: 'autumn-guide',
      campaign_id: 'autumn',
      placement_id: 'inline',
    },
  };
}

function event(id: string): object {
  return {
    event_type: 'product_view',
    session_id: `session-${id}`,
    client_event_id: id,
    user_id: 'user-20481',
    device_id: 'device-77120',
    occurred_at: OCCURRED_AT,
    properties: {
      product_id: 'SKU-10293',
      product_name: 'Merino jumper',
      product_price: 79.9,
      currency: 'EUR',
    },
    context: {
      page_url: 'https://shop.example/women/knitwear/merino-jumper?colour=navy',
      referrer: 'https://shop.example/women/knitwear',
      page_title: 'Merino jumper, navy',
      user_agent:
        'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      screen: { width: 1440, height: 900 },
      device_type: 'desktop',
      language: 'en-GB',
      timezone: 'Europe/London',
    },
  };
}

function products(id: string, { siteId, eventsPerRequest }: ProductPayload): object {
  if (eventsPerRequest === 1) return { site_id: siteId, ...product(id) };
  const many = Array.from({ length: eventsPerRequest }, (_, index) => product(`${id}-${index}`));
  return { site_id: siteId, products: many };
}

function product(id: string): object {
  return {
    product_id: id,
    title: 'Merino jumper with a round neck, navy',
    url: `https://shop.example/women/knitwear/${id}`,
    image_url: `https://cdn.shop.example/pictures/${id}/front.webp`,
    price: '79.90',
    currency: 'EUR',
    availability: 'in_stock',
    attributes: { brand: 'Northerly', colour: 'navy', sizes: ['S', 'M', 'L'], category: 'knitwear' },
  };
}

const UNIT_PRICE_CENTS = 1_999;
const TAX_CENTS = 380;
const SHIPPING_CENTS = 495;

/** Two pieces of each article, bought at half their price. */
function purchase(id: string, { siteId, lines, occurredAt }: PurchasePayload): object {
  const subtotalCents = 2 * UNIT_PRICE_CENTS;
  const merchandiseCents = lines * subtotalCents;
  const conversion = {
    schema_version: 1,
    idempotency_key: `key-${id}`,
    website_id: siteId,
    order_id: `order-${id}`,
    occurred_at: occurredAt,
    currency: 'EUR',
    revenue: inEuro(merchandiseCents + TAX_CENTS + SHIPPING_CENTS),
    commissionable_subtotal: inEuro(merchandiseCents),
    tax: inEuro(TAX_CENTS),
    shipping: inEuro(SHIPPING_CENTS),
    discount: '0.00',
    lines: Array.from({ length: lines }, (_, index) => ({
      line_id: `line-${index}`,
      sku: `SKU-${10_000 + index}`,
      quantity: 2,
      unit_price: inEuro(UNIT_PRICE_CENTS),
      subtotal: inEuro(subtotalCents),
      discount: '0.00',
      commissionable_amount: inEuro(subtotalCents),
      item_cost: inEuro(UNIT_PRICE_CENTS / 2),
    })),
    margin: { basis: 'exact', source: 'erp', amount: inEuro(merchandiseCents / 2) },
  };
  return { event_type: 'purchase', conversion };
}

/**
 * Exact for the amounts here, which are far below what a double holds; half a cent is written with three
 * decimals.
 */
function inEuro(cents: number): string {
  return (cents / 100).toFixed(Number.isInteger(cents) ? 2 : 3);
}
