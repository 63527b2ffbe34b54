import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DeliveryResource } from '@truetally/contracts/outbound';
import { type Answer, eventually, request } from '@truetally/processes';
import { Webhook } from 'standardwebhooks';
import type { DemoShop } from './demo-shop.js';

const WAIT_MS = 120_000;
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';

interface Received {
  readonly body: string;
  readonly headers: Record<string, string>;
}

/** "When an order of 100 EUR is paid, tell my CRM": a workflow, an event of the shop's backend, and what a receiver gets. */
export async function playWebhook(
  baseUrl: string,
  shop: DemoShop,
  ownerToken: string,
  say: (line: string) => void,
): Promise<void> {
  const owner = { authorization: `Bearer ${ownerToken}`, 'x-workspace-id': shop.workspaceId };
  const received: Received[] = [];
  const receiver = createServer((message, response) => {
    void readBody(message).then((body) => {
      received.push({ body, headers: message.headers as Record<string, string> });
      response.end('noted');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  try {
    say('\nA merchant whose CRM is told of large orders:');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/crm`;
    const workflow = dataOf(
      await request<Created>(`${baseUrl}/workflows`, { headers: owner, json: workflowOf(shop.siteId, url) }),
    );
    say(
      '  POST /workflows → purchases with properties.total ≥ 100, and the secret of its webhook, shown once',
    );
    await request(`${baseUrl}/events/track`, {
      headers: { 'x-api-key': shop.apiKey },
      json: purchaseOf(shop.origin),
    });
    const first = await eventually(() => received[0], { message: 'the webhook', timeoutMs: WAIT_MS });
    const told = new Webhook(workflow.action.secret).verify(first.body, first.headers) as Told;
    say(
      `  The receiver got ${String(first.headers['webhook-id'])}, verified by the standardwebhooks library: ` +
        `${told.type} of ${told.data.properties.total} EUR`,
    );
    const path = `workflows/${workflow.id}/deliveries`;
    const [delivery] = await eventually(
      async () => {
        const found = await request<Page>(`${baseUrl}/${path}?status=delivered`, { headers: owner });
        const { items } = dataOf(found);
        return items.length > 0 && items;
      },
      { message: 'the delivery to be stored', timeoutMs: WAIT_MS },
    );
    const [attempt] = delivery?.attempts ?? [];
    say(
      `  GET /workflows/{id}/deliveries → ${delivery?.status}, ${attempt?.status} after ${attempt?.latency_ms} ms`,
    );
    await request(`${baseUrl}/workflows/${workflow.id}`, { method: 'DELETE', headers: owner });
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}

interface Created {
  readonly id: string;
  readonly action: { readonly secret: string };
}

interface Told {
  readonly type: string;
  readonly data: { readonly properties: { readonly total: number } };
}

interface Page {
  readonly items: readonly DeliveryResource[];
}

function workflowOf(siteId: string, url: string): object {
  return {
    site_id: siteId,
    name: 'Tell the CRM of large orders',
    trigger: {
      event_types: ['purchase'],
      conditions: [{ field: 'properties.total', operator: 'gte', value: 100 }],
    },
    action: { type: 'webhook', url },
  };
}

function purchaseOf(origin: string): object {
  return {
    event_type: 'purchase',
    session_id: 'demo-webhook',
    properties: { order_id: `webhook-${Date.now()}`, total: 129.9, currency: 'EUR' },
    context: { page_url: `${origin}/thanks`, user_agent: USER_AGENT },
  };
}

async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function dataOf<T>({ status, body, text }: Answer<T>): T {
  if (body.data === undefined) throw new Error(`The demo was answered ${status}: ${text}`);
  return body.data;
}
