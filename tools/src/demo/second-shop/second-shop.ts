import type { SiteResource } from '@truetally/contracts/management';
import { eventually, request } from '@truetally/processes';
import {
  type Installation,
  untilKeyIsKnown,
  untilMemberIsKnown,
  untilSiteIsKnown,
} from '@truetally/testing-product';
import { fillShelves } from './fill-shelves.js';
import { forgetCustomer, makeKeysAndInvitation, submit } from './keys-and-people.js';
import { sendLostEvents } from './lost-events.js';
import { runExperiments } from './run-experiments.js';
import { sellOrders } from './sell-orders.js';
import { settleClicks } from './settle-clicks.js';
import { dataOf, ownerHeaders, ShopClient } from './shop-client.js';
import { tellCrm } from './tell-crm.js';
import { type WebhookReceiver } from './webhook-receiver.js';

export const SECOND_SHOP = 'Demo shop, New York';
/** Said at the end. */
export const FILLED = 'It was filled in';
const ORIGIN = 'http://ny.localhost:3000';
const WAIT_MS = 60_000;
/** The demo's last act: a site without it is of a start that was interrupted. */
const LAST_KEY = 'Demo is complete';

export interface Merchant {
  readonly baseUrl: string;
  readonly workspaceId: string;
  readonly ownerToken: string;
  readonly installation: Installation;
  readonly receiver: WebhookReceiver;
  readonly say: (line: string) => void;
}

/**
 * A second shop, in which every screen of the dashboard shows something. It is made once: a later start finds it, and one
 * after an interrupted start makes it anew.
 * @returns its site
 */
export async function openSecondShop(merchant: Merchant): Promise<string> {
  const { baseUrl, say } = merchant;
  const headers = ownerHeaders(merchant);
  const ask = async <T>(path: string, json?: object, method?: string): Promise<T> => {
    const options = { headers, ...(json && { json }), ...(method !== undefined && { method }) };
    return dataOf(path, await request<T>(`${baseUrl}/${path}`, options));
  };
  const sites = await ask<{ readonly items: readonly SiteResource[] }>('sites?limit=200');
  const known = sites.items.find(({ name }) => name === SECOND_SHOP);
  if (known !== undefined) {
    const keys = await ask<{ readonly items: readonly { readonly name: string }[] }>(
      `sites/${known.id}/api-keys?limit=200`,
    );
    if (keys.items.some(({ name }) => name === LAST_KEY)) {
      say(`\nA second shop, ${SECOND_SHOP}: it stands since an earlier start.`);
      return known.id;
    }
    await ask(`sites/${known.id}`, undefined, 'DELETE');
  }
  const startedAt = performance.now();
  say(`\nA second shop, ${SECOND_SHOP}, with something for every screen of the dashboard:`);
  const site = await ask<SiteResource>('sites', {
    name: SECOND_SHOP,
    domain: 'ny.localhost',
    allowed_origins: [ORIGIN],
    currency: 'USD',
    timezone: 'America/New_York',
    publisher_mode: 'active',
  });
  const shop = await openShop(merchant, site.id);
  await fill(shop, merchant);
  await shop.owner(`sites/${site.id}/api-keys`, { name: LAST_KEY, scopes: ['analytics:read'] });
  say(`  ${FILLED} ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
  return site.id;
}

async function openShop(merchant: Merchant, siteId: string): Promise<ShopClient> {
  const { baseUrl, workspaceId, ownerToken } = merchant;
  const headers = ownerHeaders(merchant);
  const scopes = ['events:write', 'profiles:import', 'commerce:write'];
  const json = {
    name: 'Backend',
    scopes: [...scopes, 'partner_attribution:convert', 'partner_attribution:read', 'analytics:read'],
    hourly_limit: 100_000,
  };
  const path = `sites/${siteId}/api-keys`;
  const { key } = dataOf(
    path,
    await request<{ readonly key: string }>(`${baseUrl}/${path}`, { headers, json }),
  );
  await untilSiteIsKnown(baseUrl, siteId, ORIGIN);
  await untilKeyIsKnown(baseUrl, key);
  await untilMemberIsKnown(baseUrl, ownerToken, siteId, workspaceId);
  return ShopClient.open({ baseUrl, workspaceId, siteId, origin: ORIGIN, ownerToken, apiKey: key });
}

/** Each act is said when it is over; those that wait for the product run beside each other. */
async function fill(shop: ShopClient, { installation, receiver, say }: Merchant): Promise<void> {
  const nowMs = Date.now();
  const told = async (act: Promise<string | readonly string[]>): Promise<void> => {
    for (const line of [await act].flat()) say(`  ${line}`);
  };
  const experiments = async (): Promise<void> => {
    const { said, campaignId } = await runExperiments(shop, installation);
    say(`  ${said}`);
    await told(submit(shop, campaignId));
  };
  await told(sellOrders(shop, nowMs));
  await Promise.all([
    told(tellCrm(shop, receiver, installation)),
    told(settleClicks(shop, nowMs)),
    told(forgetCustomer(shop, ORIGIN)),
    told(sendLostEvents(shop)),
    told(makeKeysAndInvitation(shop)),
    told(fillShelves(shop)),
    experiments(),
  ]);
  await told(verifyLedger(shop));
}

async function verifyLedger(shop: ShopClient): Promise<string> {
  const { job_id: job } = await shop.owner<{ readonly job_id: string }>(
    'partner-attribution/chain/verifications',
    { website_id: shop.siteId },
  );
  await shop.untilDone(job);
  const path = `partner-attribution/chain?website_id=${shop.siteId}`;
  const verified = await eventually(async () => (await shop.owner<Chain>(path)).last_verification, {
    message: 'the result of the verification',
    timeoutMs: WAIT_MS,
  });
  return `the ledger verified: ${verified.state} up to record ${verified.to_sequence}`;
}

interface Chain {
  readonly last_verification: { readonly state: string; readonly to_sequence: string } | null;
}
