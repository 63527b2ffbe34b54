// Sends what a shop sends, twice, to BASE_URL (…/api/v1), and exits with 0 when everything is answered as the interface page
// says: the first is new, the second is known under the same id. API_KEY (or API_KEY_FILE) is a key of the site SITE_ID that
// may write events and orders (`events:write`, `partner_attribution:convert`). The chart runs it as `helm test`; it stores one event and one order.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

const { BASE_URL, SITE_ID, API_KEY_FILE } = process.env;
const apiKey =
  process.env.API_KEY ?? (API_KEY_FILE === undefined ? undefined : readFileSync(API_KEY_FILE, 'utf8').trim());
const ATTEMPTS = 10;
const PAUSE_MS = 1_000;
const TIMEOUT_MS = 30_000;
const id = `try-${randomUUID()}`;

if (!BASE_URL || !SITE_ID || !apiKey) fail('BASE_URL, SITE_ID and API_KEY (or API_KEY_FILE) are needed.');

const event = {
  event_type: 'page_view',
  session_id: id,
  client_event_id: id,
  context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
};
const line = {
  line_id: '1',
  sku: 'TRY',
  quantity: 1,
  unit_price: '1.00',
  subtotal: '1.00',
  discount: '0.00',
  commissionable_amount: '1.00',
};
const order = {
  event_type: 'purchase',
  conversion: {
    schema_version: 1,
    idempotency_key: id,
    website_id: SITE_ID,
    order_id: id,
    occurred_at: new Date().toISOString(),
    currency: 'EUR',
    revenue: '1.00',
    commissionable_subtotal: '1.00',
    tax: '0.00',
    shipping: '0.00',
    discount: '0.00',
    lines: [line],
    touch_ids: [],
  },
};

await twice('events/track', event, 'event_id');
await twice('partner-attribution/conversions', order, 'conversion_id');
const refused = await send('events/track', event, 'no-such-key');
if (refused.status !== 401 || refused.body.error === undefined)
  fail(`A wrong key is answered ${refused.status}.`);
console.log('Everything is answered as it must be.');

async function twice(path, body, name) {
  const first = await send(path, body, apiKey);
  const second = await send(path, body, apiKey);
  console.log(`POST ${path} → ${first.status}, again → ${second.status}`);
  if (first.status !== 201 || second.status !== 200)
    fail(`${JSON.stringify(first.body)} ${JSON.stringify(second.body)}`);
  if (first.body.data[name] !== second.body.data[name])
    fail(`${path}: the second answer has another ${name}.`);
}

/** Again after 503, as every client does. */
async function send(path, body, key) {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await fetch(`${BASE_URL}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error) => fail(`${BASE_URL} does not answer: ${error.cause?.message ?? error.message}`));
    const text = await answer.text();
    if (answer.status !== 503 || attempt === ATTEMPTS) return { status: answer.status, body: parsed(text) };
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return fail(`No JSON, but: ${text.slice(0, 200)}`);
  }
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}
