import type { Funnel, RevenuePart, RevenueReport } from '@truetally/contracts/analytics';
import type { SiteIntake } from '@truetally/contracts/events';
import { type Answer, eventually, request } from '@truetally/processes';
import { type DemoShop } from './demo-shop.js';
import { table } from './table.js';

const WAIT_MS = 120_000;
/** `$OWNER`: as in docs/tour.md. */
const STREAM_HEADERS = `-H 'Accept: text/event-stream' -H "Authorization: Bearer $OWNER"`;
const STEPS = ['page_view', 'product_view', 'add_to_cart', 'purchase'];

/** What each part of a difference says to a merchant. */
const MEANINGS: Readonly<Record<RevenuePart, string>> = {
  orders_without_event: 'orders that no page or backend reported as an event',
  events_without_order: 'reported purchases that the ledger does not have',
  repeated_events: 'further reports of an order: a page and the backend both told it',
  outside_window: 'pairs of which only one is in the window',
  other_amount: 'orders that were reported with another amount',
  adjustments: 'returns and corrections',
  cancellations: 'cancelled orders',
};

/** The funnel of the demo's visitors, and why the two revenues differ. */
export async function showReports(
  baseUrl: string,
  shop: DemoShop,
  ownerToken: string,
  say: (line: string) => void,
): Promise<void> {
  const headers = { authorization: `Bearer ${ownerToken}`, 'x-workspace-id': shop.workspaceId };
  const read = async <T>(path: string): Promise<T> =>
    dataOf(await request<T>(`${baseUrl}/${path}`, { headers }));
  const revenuePath = `analytics/revenue?site_id=${shop.siteId}`;
  const revenue = await eventually(
    async () => {
      const found = await read<RevenueReport>(revenuePath);
      const isComplete = found.currencies.some(({ observed, authoritative }) => {
        return observed.events > 0 && authoritative.orders > 0;
      });
      return isComplete ? found : undefined;
    },
    { message: 'the facts of both revenues to be read', timeoutMs: WAIT_MS },
  );
  const funnelPath = `analytics/funnel?site_id=${shop.siteId}&steps=${STEPS.join(',')}`;
  say(`\nGET /${funnelPath}\n${describedFunnel(await read<Funnel>(funnelPath))}`);
  say(`\nGET /${revenuePath}\n${describedRevenue(revenue)}`);
  say(
    `\nStored events as they come: curl -N "${baseUrl}/analytics/events?site_id=${shop.siteId}" ${STREAM_HEADERS}`,
  );
  const intakePath = `sites/${shop.siteId}/intake`;
  say(`\nGET /${intakePath}\n${describedIntake(await read<SiteIntake>(intakePath))}`);
}

function describedFunnel({ steps }: Funnel): string {
  const rows = steps.map(({ event_type, sessions, share }) => ({
    step: event_type,
    sessions: String(sessions),
    share: share === null ? '' : share.toFixed(2),
  }));
  return table(['step', 'sessions', 'share'], rows);
}

function describedRevenue({ currencies }: RevenueReport): string {
  return currencies
    .map(({ currency, observed, authoritative, difference, parts }) => {
      const rows = parts
        .filter(({ count }) => count > 0)
        .map(({ part, count, amount }) => ({ part, count: String(count), amount, meaning: MEANINGS[part] }));
      return [
        `  ${currency}: ${observed.events} events observed ${observed.amount}, the ledger has ${authoritative.amount} of ${authoritative.orders} orders: a difference of ${difference}`,
        table(['part', 'count', 'amount', 'meaning'], rows),
      ].join('\n');
    })
    .join('\n');
}

function describedIntake({ hours }: SiteIntake): string {
  const sum = (name: 'deduplicated' | 'failed' | 'received' | 'stored'): number =>
    hours.reduce((total, hour) => total + hour[name], 0);
  const isBalanced = hours.every(({ balanced }) => balanced);
  return `  ${sum('received')} events received = ${sum('stored')} stored + ${sum('deduplicated')} deduplicated + ${sum('failed')} failed in ${hours.length} hours: ${isBalanced ? 'balanced' : 'not balanced'}`;
}

function dataOf<T>({ status, body, text }: Answer<T>): T {
  if (body.data === undefined) throw new Error(`The answer was ${status}: ${text}`);
  return body.data;
}
