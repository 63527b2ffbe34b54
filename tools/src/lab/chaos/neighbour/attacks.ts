import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { plainPurchase } from '@truetally/testing-product';
import { view } from '../lanes.js';
import { settlementOf, type Tenant } from './tenant.js';

/** What one merchant does, within what it is permitted, while another works. */
export interface Attack {
  readonly name: string;
  readonly what: string;
  /** Before anything is measured. */
  readonly prepare?: (tenant: Tenant) => Promise<unknown>;
  /** Until the signal. @returns what the machine allowed of it */
  readonly run: (tenant: Tenant, signal: AbortSignal) => Promise<string>;
}

const AT_ONCE = 8;
const MANY_CONNECTIONS = 20_000;
const SLOW_BODIES = 200;
const CURRENCIES = ['EUR', 'USD', 'GBP', 'CHF', 'SEK', 'NOK', 'DKK', 'PLN', 'CZK', 'JPY', 'AUD', 'CAD'];
const DAYS = 1_000;
const ROWS_OF_FILE = 5_000;
const RULES = 300;
const LARGE_TEXT = 'x'.repeat(7_500);
const LARGE_EVENT = 'x'.repeat(5_000);

export const ATTACKS: readonly Attack[] = [
  {
    name: 'large-pages',
    what: `${AT_ONCE} pages of 200 products of 8 KiB at a time`,
    prepare: (tenant) => putProducts(tenant),
    run: (tenant, signal) =>
      together(signal, async () => {
        const page = `products?site_id=${tenant.shop.siteId}&limit=200`;
        return (await tenant.ask(page)).status === 200;
      }),
  },
  {
    name: 'reports',
    what: `${AT_ONCE} reports of three years by day in 12 currencies at a time`,
    prepare: async (tenant) => {
      for (let day = 0; day < DAYS; day += DAYS / 2) {
        const days = Array.from({ length: DAYS / 2 }, (_, n) => day + n);
        await tenant.import(
          days.flatMap((n) => CURRENCIES.map((currency) => settlementOf(randomUUID(), n, currency))),
        );
      }
    },
    run: (tenant, signal) =>
      together(signal, async () => {
        const window = 'from=2024-01-01&to=2026-12-31&interval=day';
        const report = `analytics/publishers?site_id=${tenant.shop.siteId}&${window}`;
        return (await tenant.ask(report)).status === 200;
      }),
  },
  {
    name: 'rules',
    what: `conversions with 50 touches each, and commission rules without a pause (2,000 of a site at most)`,
    prepare: async (tenant) => {
      for (let n = 0; n < RULES; n += 1) await addRule(tenant);
    },
    run: (tenant, signal) =>
      together(signal, async (n) => {
        if (n % 2 === 0) return addRule(tenant);
        const { siteId } = tenant.shop;
        const order = plainPurchase({ siteId, orderId: randomUUID(), occurredAt: new Date().toISOString() });
        const touch_ids = Array.from({ length: 50 }, () => randomUUID());
        const conversion = { ...(order as { conversion: object }).conversion, touch_ids };
        return (
          (await tenant.send('partner-attribution/conversions', { ...order, conversion })).status === 201
        );
      }),
  },
  {
    name: 'product-batches',
    what: `batches of 100 products of 8 KiB, ${AT_ONCE} at a time`,
    run: (tenant, signal) => together(signal, (n) => putProducts(tenant, n)),
  },
  {
    name: 'event-batches',
    what: `batches of 100 events of 5 KiB, ${3 * AT_ONCE} at a time`,
    run: (tenant, signal) =>
      together(
        signal,
        async () => {
          const properties = { product_id: 'SKU-1', note: LARGE_EVENT };
          const events = Array.from({ length: 100 }, () => ({ ...view(randomUUID()), properties }));
          return (await tenant.send('events/batch', { events })).status === 201;
        },
        3 * AT_ONCE,
      ),
  },
  {
    name: 'slow-bodies',
    what: `${SLOW_BODIES} requests whose bodies of 1 MiB come a byte a second`,
    run: (tenant, signal) =>
      hold(tenant, signal, {
        count: SLOW_BODIES,
        begin: (socket) => {
          const head = ['POST /api/v1/events/batch HTTP/1.1', 'Host: x', `X-API-Key: ${tenant.shop.apiKey}`];
          const body = ['Content-Type: application/json', 'Content-Length: 1000000'];
          socket.write(`${[...head, ...body].join('\r\n')}\r\n\r\n${' '.repeat(200_000)}`);
        },
        drip: (socket) => socket.write(' '),
      }),
  },
  {
    name: 'stalled-uploads',
    what: '40 files of settlements of which the second half never comes',
    run: (tenant, signal) =>
      hold(tenant, signal, {
        count: 40,
        begin: (socket) => {
          const { owner, workspaceId } = tenant.shop;
          const head = [
            `POST /api/v1/${tenant.settlementsPath} HTTP/1.1`,
            'Host: x',
            `Authorization: ${owner['authorization'] ?? ''}`,
            `X-Workspace-Id: ${workspaceId}`,
            'Content-Type: text/csv',
            'Content-Length: 1000000',
          ];
          socket.write(`${head.join('\r\n')}\r\n\r\nprovider_transaction_id,status\n`);
        },
      }),
  },
  {
    name: 'connections',
    what: '20,000 connections of one other address that send nothing',
    run: (tenant, signal) =>
      hold(tenant, signal, { count: MANY_CONNECTIONS, localAddress: '127.0.0.2', begin: () => undefined }),
  },
  {
    name: 'imports',
    what: `${AT_ONCE} imports of 5,000 rows at a time`,
    run: (tenant, signal) =>
      together(signal, async () => (await tenant.beginImport(rowsOf(ROWS_OF_FILE))) !== undefined),
  },
  // Last, because what it has begun goes on for long, and cannot be cancelled.
  {
    name: 'deletions',
    what: `sites that are made and deleted, ${AT_ONCE} at a time`,
    run: (tenant, signal) =>
      together(signal, async () => {
        const json = { name: 'Empty', domain: 'empty.example', allowed_origins: ['https://empty.example'] };
        const made = await tenant.ask<{ id: string }>('sites', { method: 'POST', json });
        const id = made.body.data?.id;
        return id !== undefined && (await tenant.ask(`sites/${id}`, { method: 'DELETE' })).status < 300;
      }),
  },
];

/** Repeats it without a pause, several at a time. */
async function together(
  signal: AbortSignal,
  work: (n: number) => Promise<boolean>,
  atOnce = AT_ONCE,
): Promise<string> {
  let [done, refused] = [0, 0];
  let begun = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (!signal.aborted) {
        begun += 1;
        if (await work(begun).catch(() => false)) done += 1;
        else {
          refused += 1;
          // As a client that is told to wait.
          await pause(100);
        }
      }
    }),
  );
  return `${done} done, ${refused} refused`;
}

interface Held {
  readonly count: number;
  readonly localAddress?: string;
  readonly begin: (socket: Socket) => unknown;
  readonly drip?: (socket: Socket) => unknown;
}

/** Few enough that who opens them does not slow who measures: both are this process. */
const AT_A_TIME = 40;
const DRIP_MS = 1_000;

/** Opens connections and keeps them; those that end are opened again. */
async function hold(tenant: Tenant, signal: AbortSignal, held: Held): Promise<string> {
  const { hostname, port } = new URL(tenant.baseUrl);
  const open = new Set<Socket>();
  let most = 0;
  const add = (): void => {
    const socket = connect({
      host: hostname,
      port: Number(port),
      ...(held.localAddress === undefined ? {} : { localAddress: held.localAddress }),
    });
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => open.delete(socket));
    socket.once('connect', () => held.begin(socket));
    socket.resume();
  };
  while (!signal.aborted) {
    const missing = Math.min(AT_A_TIME, held.count - open.size);
    for (let n = 0; n < missing; n += 1) add();
    if (missing === 0) for (const socket of open) held.drip?.(socket);
    most = Math.max(most, open.size);
    await pause(missing === AT_A_TIME ? 20 : DRIP_MS, undefined, { signal }).catch(() => undefined);
  }
  for (const socket of open) socket.destroy();
  return `${most} open at once`;
}

const rowsOf = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, n) => settlementOf(randomUUID(), n % DAYS));

async function putProducts(tenant: Tenant, n = 0): Promise<boolean> {
  const products = Array.from({ length: 100 }, (_, index) => ({
    product_id: `${n % 20}-${index}`,
    title: 'Cup',
    url: 'https://shop.example/cup',
    price: '20.00',
    currency: 'EUR',
    availability: 'in_stock',
    attributes: { text: LARGE_TEXT, n },
  }));
  const json = { site_id: tenant.shop.siteId, products };
  return (await tenant.ask('products/batch', { method: 'PUT', json })).status === 200;
}

async function addRule(tenant: Tenant): Promise<boolean> {
  const rule = { website_id: tenant.shop.siteId, provider: 'awin', partner_id: randomUUID() };
  const json = { ...rule, type: 'percentage', rate: '0.05', effective_from: new Date().toISOString() };
  return (await tenant.send('partner-attribution/commission-rules', json)).status < 300;
}
