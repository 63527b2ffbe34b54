import { type Installation } from '@truetally/testing-product';
import { DEMO_SUBJECTS } from '../demo/demo-members.js';
import { type DemoShop } from '../demo/demo-shop.js';
import { type LocalFolder } from './local-folder.js';

export interface Welcome {
  readonly baseUrl: string;
  readonly shop: DemoShop;
  readonly folder: LocalFolder;
  readonly installation: Installation;
  readonly seconds: number;
  readonly dashboardUrl: string;
  /** The demo shop, and an address of it at which a partner's visitor arrives. */
  readonly storefront: { readonly page: string; readonly landing: string };
}

/** A link that signs in as each person of the demo. */
export function signInUrls(dashboardUrl: string): Readonly<Record<keyof typeof DEMO_SUBJECTS, string>> {
  const { owner, admin, analyst, outsider } = DEMO_SUBJECTS;
  const link = (person: string): string => `${dashboardUrl}?login_hint=${person}`;
  return { owner: link(owner), admin: link(admin), analyst: link(analyst), outsider: link(outsider) };
}

/** The text in the terminal when everything is ready. */
export function welcome({
  baseUrl,
  shop,
  folder,
  installation,
  seconds,
  dashboardUrl,
  storefront,
}: Welcome): string {
  const body = JSON.stringify({
    event_type: 'product_view',
    session_id: 'try-it',
    client_event_id: 'try-it-1',
    properties: { product_id: 'SKU-1' },
    context: { page_url: `${shop.origin}/products/sku-1`, user_agent: 'curl' },
  });
  return `
Everything is up after ${seconds.toFixed(1)} s.

  HTTP interface   ${baseUrl}
  Kafka            ${installation.kafkaBrokers}
  Postgres         psql "$(node -p "require('${folder.stackFile}').database_url")"
  All addresses    ${folder.stackFile}
  Logs             ${folder.logs}

Send an event, and then the same once more:

curl -s ${baseUrl}/events/track -H 'X-API-Key: ${shop.apiKey}' \\
  -H 'Content-Type: application/json' -d '${body}'

Dashboard  ${dashboardUrl}
${Object.entries(signInUrls(dashboardUrl))
  .map(([role, url]) => `  as ${role.padEnd(8)}  ${url}`)
  .join('\n')}

Shop       ${storefront.page}
  as a visitor from a partner  ${storefront.landing}

Ctrl-C stops everything. The data stays; "npm run reset" removes it.`;
}
