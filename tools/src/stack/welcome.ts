import { type Installation } from '@truetally/testing-product';
import { type DemoShop } from '../demo/demo-shop.js';
import { type LocalFolder } from './local-folder.js';

/** The text in the terminal when everything is ready. */
export function welcome(
  baseUrl: string,
  shop: DemoShop,
  folder: LocalFolder,
  installation: Installation,
  seconds: number,
): string {
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

Ctrl-C stops everything. The data stays; "npm run reset" removes it.`;
}
