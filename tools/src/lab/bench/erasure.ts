import { setTimeout as delay } from 'node:timers/promises';
import type { JobResource } from '@truetally/contracts/jobs';
import { eventually, request } from '@truetally/processes';
import pg from 'pg';
import { openShop } from './management.js';
import type { ProductStack } from './product-stack.js';
import type { Row } from './report.js';
import { freshPrefix } from './scenarios.js';

const LONG_WAIT_MS = 100;
/** On a machine with two cores purchases wait longer than `LONG_WAIT_MS` with or without an erasure: only the difference is its own. */
const MOST_TIMES_BEFORE = 1.2;
/** Concurrent purchases of another site. */
const CLIENTS = 4;
/** So long that p99.9 is more than the two longest waits. */
const BASELINE_MS = 60_000;
const ERASURE_TIMEOUT_MS = 3_600_000;
const JOB_POLL_MS = 500;
const MS_PER_SECOND = 1_000;

/**
 * The longest latency of another site's purchases while a site with so many touches is erased, and without an
 * erasure.
 */
export async function erasureRows(stack: ProductStack, touches: number): Promise<Row[]> {
  const siteId = await openShop(stack);
  await fill(stack, siteId, touches);
  const before = await whileSelling(stack, () => delay(BASELINE_MS));
  const during = await whileSelling(stack, () => erase(stack, siteId));
  const ratio = during.p999Ms / before.p999Ms;
  const millions = `${(touches / 1_000_000).toLocaleString('en')} million touches`;
  const perSecond = Math.round(touches / (during.ms / MS_PER_SECOND)).toLocaleString('en');
  return [
    {
      name: `longest wait of another site's purchase, nothing else going on`,
      figure: describe(before),
    },
    {
      name: `— while a site with ${millions} is erased`,
      figure: describe(during),
      ratio,
      target: `p99.9 ≤ ${MOST_TIMES_BEFORE} × before`,
      isMet: ratio <= MOST_TIMES_BEFORE,
    },
    {
      name: `erasing ${millions}`,
      figure: `${Math.round(during.ms / MS_PER_SECOND)} s, ${perSecond} touches/s`,
    },
  ];
}

interface Sold {
  readonly longestMs: number;
  /** The latency that 999 of 1,000 purchases do not exceed. */
  readonly p999Ms: number;
  readonly tooLong: number;
  readonly orders: number;
  /** Duration of the work. */
  readonly ms: number;
}

function describe({ longestMs, p999Ms, tooLong, orders }: Sold): string {
  return (
    `${Math.round(longestMs)} ms of ${orders.toLocaleString('en')} purchases ` +
    `(p99.9 ${Math.round(p999Ms)} ms, ${tooLong} above ${LONG_WAIT_MS} ms)`
  );
}

async function whileSelling(stack: ProductStack, work: () => Promise<unknown>): Promise<Sold> {
  let isOver = false;
  const waits = Array.from({ length: CLIENTS }, () => keepBuying(stack, () => isOver));
  const startedAt = performance.now();
  try {
    await work();
  } finally {
    isOver = true;
  }
  const ms = performance.now() - startedAt;
  const all = (await Promise.all(waits)).flat().toSorted((a, b) => a - b);
  return {
    longestMs: all.at(-1) ?? 0,
    p999Ms: all[Math.floor(all.length * 0.999)] ?? 0,
    tooLong: all.filter((wait) => wait > LONG_WAIT_MS).length,
    orders: all.length,
    ms,
  };
}

/** One purchase after the other. @returns their latencies in milliseconds */
async function keepBuying(stack: ProductStack, isOver: () => boolean): Promise<readonly number[]> {
  const prefix = freshPrefix();
  const waits: number[] = [];
  while (!isOver()) {
    const startedAt = performance.now();
    const { status, text } = await request(`${stack.baseUrl}/partner-attribution/conversions`, {
      json: purchase(stack.siteId, `${prefix}-${waits.length}`),
      headers: { 'x-api-key': stack.apiKey },
    });
    if (status !== 201) throw new Error(`A purchase was answered ${status}: ${text}`);
    waits.push(performance.now() - startedAt);
  }
  return waits;
}

function purchase(siteId: string, orderId: string): object {
  const line = {
    line_id: 'line',
    sku: 'SKU-1',
    quantity: 1,
    unit_price: '10.00',
    subtotal: '10.00',
    discount: 0,
  };
  return {
    event_type: 'purchase',
    conversion: {
      schema_version: 1,
      idempotency_key: orderId,
      website_id: siteId,
      order_id: orderId,
      occurred_at: new Date().toISOString(),
      currency: 'EUR',
      revenue: '10.00',
      commissionable_subtotal: '10.00',
      tax: 0,
      shipping: 0,
      discount: 0,
      lines: [{ ...line, commissionable_amount: '10.00' }],
    },
  };
}

async function erase(stack: ProductStack, siteId: string): Promise<void> {
  const headers = { authorization: `Bearer ${stack.ownerToken}`, 'x-workspace-id': stack.workspaceId };
  const deleted = await request<{ job_id: string }>(`${stack.baseUrl}/sites/${siteId}`, {
    method: 'DELETE',
    headers,
  });
  const jobId = deleted.body.data?.job_id;
  if (jobId === undefined) throw new Error(`The site was not deleted: ${deleted.text}`);
  await eventually(
    async () => {
      await delay(JOB_POLL_MS);
      const job = await request<JobResource>(`${stack.baseUrl}/jobs/${jobId}`, { headers });
      return job.body.data?.state === 'completed';
    },
    { timeoutMs: ERASURE_TIMEOUT_MS, message: 'the site to be erased' },
  );
}

/** Inserted directly: the deletion is measured. */
async function fill(stack: ProductStack, siteId: string, touches: number): Promise<void> {
  const owner = new pg.Client({
    connectionString: stack.databaseUrl,
    options: '-c search_path=attribution_ledger',
  });
  await owner.connect();
  try {
    await owner.query(
      `insert into touches (id, site_id, touch_id, fingerprint, provider, direction, partner_id, landing_path,
         occurred_at, provenance, session_id, click_hash, recorded_at, request_id, correlation_id)
       select gen_random_uuid(), $1, 'touch-' || n, md5(n::text), 'awin', 'inbound', 'partner-1', '/landing',
         at, 'browser_sdk', 'session-' || n, md5(n::text) || md5(n::text), at, 'bench', 'bench'
       from generate_series(1, ${touches}) as n, lateral (
         select timestamptz '2026-01-01' + n * interval '1 millisecond' as at) as t`,
      [siteId],
    );
    await owner.query('vacuum analyze touches');
    await owner.query('checkpoint');
  } finally {
    await owner.end();
  }
}
