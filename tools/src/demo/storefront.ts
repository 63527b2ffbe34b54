import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { SiteResource } from '@truetally/contracts/management';
import { type Answer, eventually, request } from '@truetally/processes';
import { isSiteKnown } from '@truetally/testing-product';
import type { DemoShop } from './demo-shop.js';
import {
  STOREFRONT_SCRIPT,
  STOREFRONT_STYLE,
  storefrontPage,
  type StorefrontSite,
} from './storefront-page.js';

export interface Storefront {
  /** Where its pages are, and what their browsers name as their origin. */
  readonly origin: string;
  readonly server: Server;
}

/** Gateways learn of a changed site within seconds, more on a busy machine. */
const WAIT_MS = 240_000;
const CLICK_BYTES = 8;

const OVERLAY = {
  type: 'overlay',
  name: 'Which cup?',
  content: {
    layout: 'corner',
    title: 'Which cup are you?',
    body: 'Two questions, and 10 % off.',
    frequency_cap_hours: 1,
    quiz: {
      quiz_id: 'cup',
      questions: [
        {
          question_id: 'when',
          text: 'When do you drink coffee?',
          answers: [
            { answer_id: 'morning', text: 'In the morning' },
            { answer_id: 'always', text: 'Always' },
          ],
        },
        {
          question_id: 'how',
          text: 'And how much?',
          answers: [
            { answer_id: 'little', text: 'A little' },
            { answer_id: 'much', text: 'Much' },
          ],
        },
      ],
      results: [
        { result_id: 'espresso', text: 'The espresso cup' },
        { result_id: 'bowl', text: 'The bowl' },
      ],
    },
  },
};
const CHATBOT = {
  type: 'chatbot',
  name: 'Help',
  content: {
    greeting: 'Hello! Ask me about shipping or sizes.',
    answers: [
      { keywords: ['shipping', 'delivery'], text: 'It takes two days.' },
      { keywords: ['size', 'big'], text: 'The cup holds 200 ml, the bowl 400 ml.' },
    ],
    handover: { email: 'help@shop.example' },
  },
};

/** A shop whose pages use the browser SDK under a strict policy. It ends when `stopped` resolves. */
export async function serveStorefront(
  port: number,
  baseUrl: string,
  site: StorefrontSite,
  stopped: Promise<unknown>,
): Promise<Storefront> {
  const api = new URL(baseUrl).origin;
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${api}`,
    `connect-src ${api}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types truetally',
  ].join('; ');
  const server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://localhost');
    if (pathname === '/shop.js') {
      return void response.setHeader('Content-Type', 'text/javascript; charset=utf-8').end(STOREFRONT_SCRIPT);
    }
    if (pathname === '/shop.css') {
      return void response.setHeader('Content-Type', 'text/css; charset=utf-8').end(STOREFRONT_STYLE);
    }
    if (pathname !== '/' && !pathname.startsWith('/products/')) {
      return void response.writeHead(404, { 'Content-Type': 'text/plain' }).end('There is no such page.');
    }
    response
      .setHeader('Content-Security-Policy', policy)
      .setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(storefrontPage(`${api}/sdk/v1/truetally.js`, site, newLanding()));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, 'localhost', resolve);
  });
  void stopped.then(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://localhost:${port}`, server };
}

/** An address at which a visitor arrives whom a partner has sent; each is another click. */
export function newLanding(): string {
  return `/products/cup?awc=1001_${Math.floor(Date.now() / 1000)}_${randomBytes(CLICK_BYTES).toString('hex')}`;
}

/** Lists the storefront's origin, where it is not listed yet. */
export async function allowStorefront(
  baseUrl: string,
  { siteId, workspaceId }: DemoShop,
  ownerToken: string,
  origin: string,
): Promise<void> {
  if (await isSiteKnown(baseUrl, siteId, origin)) return;
  const headers = { authorization: `Bearer ${ownerToken}`, 'x-workspace-id': workspaceId };
  const url = `${baseUrl}/sites/${siteId}`;
  const { allowed_origins } = dataOf(await request<SiteResource>(url, { headers }));
  const json = { allowed_origins: [...allowed_origins, origin] };
  dataOf(await request<SiteResource>(url, { method: 'PATCH', headers, json }));
  await eventually(() => isSiteKnown(baseUrl, siteId, origin), {
    message: 'the origin of the storefront to be known',
    timeoutMs: WAIT_MS,
  });
}

/** What the storefront shows, unless an earlier start has made it. */
export async function launchStorefrontCampaigns(
  baseUrl: string,
  { siteId, workspaceId }: DemoShop,
  ownerToken: string,
): Promise<void> {
  const headers = { authorization: `Bearer ${ownerToken}`, 'x-workspace-id': workspaceId };
  const url = `${baseUrl}/campaigns`;
  const known = dataOf(
    await request<{ items: readonly { name: string }[] }>(`${url}?site_id=${siteId}&limit=200`, { headers }),
  );
  for (const campaign of [OVERLAY, CHATBOT]) {
    if (known.items.some(({ name }) => name === campaign.name)) continue;
    dataOf(await request(url, { headers, json: { site_id: siteId, status: 'active', ...campaign } }));
  }
}

/** @throws Error with the answer, if it is a refusal */
function dataOf<T>({ status, body, text }: Answer<T>): T {
  if (body.data === undefined) throw new Error(`The storefront was answered ${status}: ${text}`);
  return body.data;
}
