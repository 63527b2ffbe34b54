import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { plainPurchase } from '@truetally/testing-product';
import { view } from '../lanes.js';
import { settlementOf, type Tenant } from './tenant.js';

/** What a merchant notices of the product. */
export const MEASURES = ['events', 'orders', 'reads', 'import'] as const;
export type Measure = (typeof MEASURES)[number];

/** Times of one kind of request, in milliseconds, and how many were not answered with a success. */
export interface Taken {
  readonly times: readonly number[];
  readonly failed: number;
}

const PAUSES_MS: Readonly<Record<Measure, number>> = { events: 30, orders: 50, reads: 50, import: 500 };
const HUNDRED = 100;

/** A merchant at its usual pace for a time. */
export async function measure(tenant: Tenant, ms: number): Promise<Readonly<Record<Measure, Taken>>> {
  const untilMs = performance.now() + ms;
  const taken = await Promise.all(MEASURES.map((name) => repeat(name, tenant, untilMs)));
  return Object.fromEntries(MEASURES.map((name, index) => [name, taken[index]])) as Record<Measure, Taken>;
}

async function repeat(name: Measure, tenant: Tenant, untilMs: number): Promise<Taken> {
  const times: number[] = [];
  let failed = 0;
  do {
    const begunMs = performance.now();
    const isDone = await REQUESTS[name](tenant).catch(() => false);
    times.push(performance.now() - begunMs);
    if (!isDone) failed += 1;
    await pause(PAUSES_MS[name]);
  } while (performance.now() < untilMs);
  return { times, failed };
}

const REQUESTS: Readonly<Record<Measure, (tenant: Tenant) => Promise<boolean>>> = {
  events: async (tenant) => {
    return (await tenant.send('events/track', view(randomUUID()))).status === 201;
  },
  orders: async (tenant) => {
    const order = { orderId: randomUUID(), occurredAt: new Date().toISOString(), siteId: tenant.shop.siteId };
    return (await tenant.send('partner-attribution/conversions', plainPurchase(order))).status === 201;
  },
  reads: async (tenant) => {
    const report = `analytics/publishers?site_id=${tenant.shop.siteId}&interval=day`;
    return (await tenant.ask(report)).status === 200;
  },
  import: async (tenant) => {
    await tenant.import([settlementOf(randomUUID(), 1)]);
    return true;
  },
};

/** The time within which 99 of a hundred were answered; of a few, the longest. */
export function percentile99(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil((sorted.length * 99) / HUNDRED) - 1)] ?? Number.NaN;
}
