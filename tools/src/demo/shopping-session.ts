import { randomUUID } from 'node:crypto';
import { connectionOf } from '@truetally/persistence';
import pg from 'pg';
import { type Answer, request } from '@truetally/processes';
import { type Installation, schemaOf } from '@truetally/testing-product';
import { type DemoShop } from './demo-shop.js';
import { table } from './table.js';
import { visitorHeaders } from './visitor.js';

const PRODUCT = { product_id: 'SKU-1', product_name: 'Espresso cup', product_price: 18.5, currency: 'EUR' };
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';

/** A visitor's way to an order, as a storefront and its backend send it, and what the product stores of it. */
export async function playShoppingSession(
  baseUrl: string,
  shop: DemoShop,
  installation: Installation,
  say: (line: string) => void,
): Promise<void> {
  const session = `demo-${randomUUID()}`;
  const event = newEvents(session, shop.origin);
  const visitor = await visitorHeaders(baseUrl, shop);
  const backend = { 'x-api-key': shop.apiKey };
  const order = { order_id: `order-${session}`, total: 37, currency: 'EUR' };

  const arrival = event('page_view', '/', {});
  const steps: readonly Step[] = [
    ['The visitor arrives', visitor, arrival],
    ['The same again, as after a lost answer', visitor, arrival],
    [
      'Looks, fills the cart and buys, in one batch',
      visitor,
      {
        events: [
          event('product_view', '/products/sku-1', PRODUCT),
          event('add_to_cart', '/products/sku-1', PRODUCT),
          event('purchase', '/checkout', order),
        ],
      },
    ],
    ["The shop's own server reports the order", backend, event('purchase', '/checkout', order)],
    [
      'and what it recommended',
      backend,
      event('recommendation_impression', '/checkout', { recommendation_id: 'r-1', campaign_id: 'c-1' }),
    ],
  ];
  say('\nA short shopping session:');
  for (const [title, headers, json] of steps) {
    const path = 'events' in json ? '/events/batch' : '/events/track';
    say(`  ${title}: ${verdict(path, await request(baseUrl + path, { headers, json }))}`);
  }
  say(`\nStored in Postgres:\n${await storedEvents(installation, shop, session)}`);
}

type Step = readonly [title: string, headers: Readonly<Record<string, string>>, json: object];

function newEvents(session: string, origin: string) {
  return (eventType: string, path: string, properties: object): object => ({
    event_type: eventType,
    session_id: session,
    client_event_id: randomUUID(),
    occurred_at: new Date().toISOString(),
    properties,
    context: { page_url: `${origin}${path}`, user_agent: USER_AGENT },
  });
}

interface Outcome {
  readonly event_id?: string;
  readonly deduplicated?: boolean | number;
  readonly stored?: number;
}

function verdict(path: string, { status, body, text }: Answer<Outcome>): string {
  const { data } = body;
  if (data === undefined) return `POST ${path} → ${status} ${text}`;
  const outcome =
    data.stored === undefined
      ? `${data.deduplicated === true ? 'a duplicate of' : 'stored as'} ${data.event_id}`
      : `${data.stored} stored`;
  return `POST ${path} → ${status}, ${outcome}`;
}

interface StoredRow {
  readonly event_type: string;
  readonly trust: string;
  readonly received_at: string;
  readonly event_id: string;
}

async function storedEvents(installation: Installation, shop: DemoShop, session: string): Promise<string> {
  const client = new pg.Client(connectionOf(installation.databaseUrl));
  await client.connect();
  try {
    const events = `${pg.escapeIdentifier(schemaOf(installation, 'ingestion'))}.events`;
    const { rows } = await client.query<StoredRow>(
      `select event_type, trust::text, to_char(received_at, 'HH24:MI:SS.MS') as received_at, event_id
         from ${events} where site_id = $1 and session_id = $2 order by events.received_at, event_type`,
      [shop.siteId, session],
    );
    return table(['event_type', 'trust', 'received_at', 'event_id'], rows);
  } finally {
    await client.end();
  }
}
