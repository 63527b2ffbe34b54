import { Seeded } from './seeded.js';
import { HISTORY_DAYS } from './invented-history.js';
import { type ShopClient } from './shop-client.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const CLICKS = 40;
const SEED = 48_15;
/** Never resolves (RFC 2606): the demo calls no network, so that the screen shows why it was not synchronised. */
const NOWHERE = 'https://awin.invalid';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';
const COLUMNS =
  'provider_transaction_id,click_reference,status,commissionable_amount,commission_amount,currency,transaction_at,updated_at';

interface Click {
  readonly reference: string;
  readonly atMs: number;
}

/** Clicks on partners' links, and two reports of their network, the second with rows that cannot be read. */
export async function settleClicks(shop: ShopClient, nowMs: number): Promise<string> {
  const random = new Seeded(SEED);
  const clicks = Array.from({ length: CLICKS }, (_, place): Click => {
    const atMs = nowMs - random.between(1, HISTORY_DAYS * 24 - 1) * HOUR_MS;
    return { reference: `ny-click-${place}`, atMs };
  });
  await shop.page('events/batch', { events: clicks.map((click, place) => clickOf(shop, click, place)) });
  const credentials = { publisher_id: '4815', api_token: 'demo' };
  const { id } = await shop.owner<{ readonly id: string }>('integrations', {
    site_id: shop.siteId,
    provider: 'awin',
    credentials,
    base_url: NOWHERE,
  });
  const report = async (rows: readonly string[]) => {
    const { job_id: job } = await shop.upload<{ readonly job_id: string }>(
      `integrations/${id}/settlements`,
      [COLUMNS, ...rows].join('\n'),
      'text/csv',
    );
    return shop.untilDone(job);
  };
  const settled = clicks.slice(0, 24);
  await report(settled.map((click, place) => row(click, place, 'pending', 1)));
  const decided = settled.slice(0, 18).map((click, place) => row(click, place, decisionOf(place), 20));
  const unknown = { reference: 'of-nobody', atMs: nowMs - DAY_MS };
  const bad = ['ny-bad,,approved,many,1.00,USD,yesterday,today', 'ny-short,,paid,1.00,1.00,USD,,'];
  const second = await report([...decided, row(unknown, 99, 'approved', 1), ...bad]);
  return `${CLICKS} clicks on partners' links, ${settled.length + 1} settlements in USD and JPY; of their second report ${second.failed} rows are bad`;
}

function decisionOf(place: number): string {
  if (place % 6 === 5) return 'declined';
  return place % 6 === 4 ? 'reversed' : 'approved';
}

function row({ reference, atMs }: Click, place: number, status: string, hoursLater: number): string {
  const [amount, commission, currency] = place % 8 === 7 ? ['9000', '450', 'JPY'] : ['42.50', '2.55', 'USD'];
  const at = new Date(atMs + HOUR_MS / 2).toISOString();
  const updated = new Date(atMs + hoursLater * HOUR_MS).toISOString();
  return `ny-${place},${reference},${status},${amount},${commission},${currency},${at},${updated}`;
}

function clickOf(shop: ShopClient, { reference, atMs }: Click, place: number): object {
  return {
    event_type: 'partner_link_click',
    session_id: reference,
    client_event_id: reference,
    occurred_at: new Date(atMs).toISOString(),
    properties: {
      provider: 'awin',
      click_reference: reference,
      destination_url: `https://partner.example/${place % 3 === 0 ? 'grinders' : 'cups'}`,
      content_id: place % 4 === 0 ? 'grinder-review' : 'espresso-guide',
    },
    context: { page_url: `${shop.place.origin}/guides/espresso`, user_agent: BROWSER },
  };
}
