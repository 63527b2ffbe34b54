import { randomUUID } from 'node:crypto';
import { type PublisherReport } from '@truetally/contracts/publisher';
import { type Answer, eventually, request } from '@truetally/processes';
import { type DemoShop } from './demo-shop.js';
import { table } from './table.js';
import { visitorHeaders } from './visitor.js';

/** Never resolves (RFC 2606): the demo calls no network. */
const NOWHERE = 'https://awin.invalid';
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';
const WAIT_MS = 120_000;

/** Visitors go to the shops of partners, and a network reports what it pays for their orders there. */
export async function playPublisherDay(
  baseUrl: string,
  shop: DemoShop,
  ownerToken: string,
  say: (line: string) => void,
): Promise<void> {
  const owner = { authorization: `Bearer ${ownerToken}`, 'x-workspace-id': shop.workspaceId };
  const call = async <T>(path: string, method: string, json?: object): Promise<T> =>
    dataOf(await request<T>(`${baseUrl}/${path}`, { method, headers: owner, ...(json && { json }) }));
  say('\nA publisher whose links lead to partners:');
  await call(`sites/${shop.siteId}`, 'PATCH', { publisher_mode: 'active' });
  const references = Array.from({ length: 4 }, () => `demo-${randomUUID()}`);
  const visitor = await visitorHeaders(baseUrl, shop);
  const events = references.map((reference, index) => clickOf(reference, index, shop.origin));
  const batch = await request<{ stored: number }>(`${baseUrl}/events/batch`, {
    headers: visitor,
    json: { events },
  });
  say(`  Four visitors follow a link: POST /events/batch → ${batch.status}, ${dataOf(batch).stored} stored`);
  const credentials = { publisher_id: '4815', api_token: 'demo' };
  const body = { site_id: shop.siteId, provider: 'awin', credentials, base_url: NOWHERE };
  const integration = await call<{ id: string }>('integrations', 'POST', body);
  const path = `integrations/${integration.id}/settlements`;
  const { job_id: jobId } = await call<{ job_id: string }>(path, 'POST', { rows: rowsFor(references) });
  const job = await eventually(
    async () => {
      const found = await call<{ state: string; stored: number; finished_at: string | null }>(
        `jobs/${jobId}`,
        'GET',
      );
      return found.finished_at === null ? undefined : found;
    },
    { message: 'the settlements to be taken in', timeoutMs: WAIT_MS },
  );
  say(
    `  Their network settles: POST /${path.replace(integration.id, '{id}')} → ${job.state}, ${job.stored} stored`,
  );
  await call(`integrations/${integration.id}`, 'DELETE');
  const query = `site_id=${shop.siteId}`;
  const report = await eventually(
    async () => {
      const found = await call<PublisherReport>(`analytics/publishers?${query}`, 'GET');
      return found.observed_clicks < references.length ? undefined : found;
    },
    { message: 'the clicks to be counted', timeoutMs: WAIT_MS },
  );
  say(`\nGET /analytics/publishers?${query}\n${described(report)}`);
}

function clickOf(reference: string, index: number, origin: string): object {
  return {
    event_type: 'partner_link_click',
    session_id: `demo-${reference}`,
    client_event_id: randomUUID(),
    occurred_at: new Date().toISOString(),
    properties: {
      provider: 'awin',
      click_reference: reference,
      destination_url: `https://partner.example/cups?clickref=${reference}`,
      content_id: index < 3 ? 'espresso-guide' : 'grinder-review',
    },
    context: { page_url: `${origin}/guides/espresso`, user_agent: USER_AGENT },
  };
}

/** One approved, one pending, one declined, and one without a known click. */
function rowsFor([first, second, third]: readonly string[]): readonly object[] {
  const now = new Date().toISOString();
  const row = (reference: string | undefined, status: string, commission: string): object => ({
    provider_transaction_id: randomUUID(),
    click_reference: reference,
    status,
    commissionable_amount: '40.00',
    commission_amount: commission,
    currency: 'EUR',
    transaction_at: now,
    updated_at: now,
  });
  return [
    row(first, 'approved', '2.40'),
    row(second, 'pending', '1.20'),
    row(third, 'declined', '1.60'),
    row(`demo-${randomUUID()}`, 'approved', '0.80'),
  ];
}

function described(report: PublisherReport): string {
  const { observed_clicks, settled_orders, currencies, reference_correlation: found, top_content } = report;
  const rows = currencies.map(({ currency, commissionable_revenue, commission, reversals }) => ({
    currency,
    revenue: commissionable_revenue,
    ...commission,
    reversed: reversals.amount,
  }));
  const content = top_content.map(({ content_id, clicks, settled_orders: orders }) => {
    return `  ${content_id}: ${clicks} clicks, ${orders} settled orders`;
  });
  return [
    `  ${observed_clicks} clicks, ${settled_orders} settled orders; of ${found.settlements_with_reference} settlements with a reference ${found.matched} found their click`,
    table(['currency', 'revenue', 'approved', 'pending', 'declined', 'reversed'], rows),
    ...content,
  ].join('\n');
}

function dataOf<T>({ status, body, text }: Answer<T>): T {
  if (body.data === undefined) throw new Error(`The answer was ${status}: ${text}`);
  return body.data;
}
