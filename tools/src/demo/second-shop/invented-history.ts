import { Seeded } from './seeded.js';

export const HISTORY_DAYS = 14;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const SEED = 20_260_131;
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
export const PARTNERS = ['coffee-blog', 'cup-review', 'kitchen-news'] as const;
export const PRODUCTS = [
  { id: 'SKU-1', title: 'Espresso cup', cents: 1850 },
  { id: 'SKU-2', title: 'Saucer', cents: 900 },
  { id: 'SKU-3', title: 'Espresso beans, 1 kg', cents: 2490 },
] as const;
/** What an order of so many US cents costs elsewhere, in that currency's own decimals. */
const CURRENCIES: Readonly<Record<Currency, (cents: number) => string>> = {
  USD: (cents) => (cents / 100).toFixed(2),
  JPY: (cents) => String(Math.round(cents * 1.5)),
  KWD: (cents) => ((cents * 3.07) / 1000).toFixed(3),
};

type Currency = 'USD' | 'JPY' | 'KWD';

export interface InventedOrder {
  readonly orderId: string;
  readonly sessionId: string;
  readonly atMs: number;
  readonly currency: Currency;
  readonly amount: string;
  readonly product: (typeof PRODUCTS)[number];
  readonly touchIds: readonly string[];
}

export interface History {
  /** Of pages. */
  readonly events: readonly object[];
  /** Of the shop's backend, which tells of some orders again. */
  readonly backendEvents: readonly object[];
  readonly touches: readonly object[];
  readonly orders: readonly InventedOrder[];
}

/** A fortnight of visitors up to `untilMs`: what their pages sent, the partners that sent some, and what they bought. */
export function inventHistory(untilMs: number, origin: string): History {
  const random = new Seeded(SEED);
  const history: Lists = { events: [], backendEvents: [], touches: [], orders: [] };
  for (let day = HISTORY_DAYS - 1; day >= 0; day -= 1) {
    const sessions = random.between(24, 44);
    for (let place = 0; place < sessions; place += 1) {
      // Every session is over before `untilMs`.
      const atMs = untilMs - day * DAY_MS - random.between(40, 1_400) * MINUTE_MS;
      visit(history, random, { atMs, origin, sessionId: `ny-${day}-${place}` });
    }
  }
  return history;
}

interface Lists {
  readonly events: object[];
  readonly backendEvents: object[];
  readonly touches: object[];
  readonly orders: InventedOrder[];
}

interface Visit {
  readonly atMs: number;
  readonly origin: string;
  readonly sessionId: string;
}

function visit(history: Lists, random: Seeded, { atMs, origin, sessionId }: Visit): void {
  const isBot = random.next() < 0.04;
  const device = random.one(['desktop', 'mobile', 'mobile', 'tablet']);
  const product = random.one(PRODUCTS);
  const path = `/products/${product.id.toLowerCase()}`;
  const event = (type: string, minutes: number, page: string, properties: object): object => ({
    event_type: type,
    session_id: sessionId,
    client_event_id: `${sessionId}-${type}`,
    occurred_at: new Date(atMs + minutes * MINUTE_MS).toISOString(),
    properties,
    context: { page_url: origin + page, user_agent: isBot ? BOT : BROWSER, device_type: device },
  });
  const about = { product_id: product.id, product_name: product.title };
  const touchIds = random.next() < 0.45 && !isBot ? arrive(history, random, sessionId, atMs) : [];
  history.events.push(event('page_view', 0, '/', {}));
  if (random.next() > 0.75) return;
  history.events.push(event('product_view', 1, path, about));
  if (isBot || random.next() > 0.5) return;
  history.events.push(event('add_to_cart', 3, path, about));
  if (random.next() > 0.45) return;
  const currency = random.one<Currency>(['USD', 'USD', 'USD', 'USD', 'JPY', 'KWD']);
  const amount = CURRENCIES[currency](product.cents * random.between(1, 4));
  const orderId = `NY-${1001 + history.orders.length}`;
  const bought = { order_id: orderId, total: Number(amount), currency };
  history.events.push(event('purchase', 6, '/thanks', bought));
  // Each third is reported by the backend, too: repeated events of one order.
  if (history.orders.length % 3 === 0) history.backendEvents.push(event('purchase', 7, '/thanks', bought));
  const soldAt = atMs + 6 * MINUTE_MS;
  history.orders.push({ orderId, sessionId, atMs: soldAt, currency, amount, product, touchIds });
}

/** A partner sends the visitor. */
function arrive({ touches }: Lists, random: Seeded, sessionId: string, atMs: number): string[] {
  const partner = random.one(PARTNERS);
  const touchId = `${sessionId}-${partner}`;
  touches.push(touchOf(touchId, sessionId, partner, atMs - MINUTE_MS));
  return [touchId];
}

export function touchOf(touchId: string, sessionId: string, partner: string, atMs: number): object {
  return {
    schema_version: 1,
    touch_id: touchId,
    provider: 'awin',
    direction: 'inbound',
    provider_click_id: `awc-${touchId}`,
    partner_id: partner,
    landing_path: '/products/sku-1',
    occurred_at: new Date(atMs).toISOString(),
    provenance: 'browser_sdk',
    session_id: sessionId,
  };
}
