import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { ServiceDatabase } from '@truetally/testing-product';
import fc from 'fast-check';
import type { Pool } from 'pg';
import type { HourlyLimit } from './hourly-limit.js';
import { LimitStore } from '../storage/limit.store.js';
import { HourlyLimiter, type LimitVerdict } from './hourly-limiter.js';
import { openLimitDatabase } from '../testing/limit-database.js';

const REPLICAS = 3;

describe('hourly limits (interface page, section 3), on a real Postgres', () => {
  let database: ServiceDatabase;
  let pools: readonly Pool[];
  const errors: unknown[] = [];

  beforeAll(async () => {
    database = await openLimitDatabase();
    pools = Array.from({ length: REPLICAS }, () => database.openPool(1));
  });

  afterAll(() => database.close());

  // Any hour except the current one, which may end during a test.
  beforeEach(() => turnClockTo('2026-01-31T12:15:00Z'));

  afterEach(() => {
    expect(errors.splice(0)).toEqual([]);
  });

  /** A gateway's limiter right after a start, without any state. */
  function startGateway(replica = 0): HourlyLimiter {
    const pool = pools[replica % REPLICAS];
    if (pool === undefined) throw new Error('There are as many pools as replicas.');
    return new HourlyLimiter({
      counters: new LimitStore(pool),
      areEventsBeside: true,
      monotonicMs: () => performance.now(),
      onError: (error) => errors.push(error),
    });
  }

  async function turnClockTo(time: string): Promise<void> {
    await database.owner.query(
      `create or replace function limit_clock() returns timestamptz language sql volatile
       as $$ select timestamptz '${time}' $$`,
    );
  }

  async function usedOf(limit: HourlyLimit): Promise<number> {
    const { rows } = await database.owner.query<{ used: string }>(
      'select coalesce(sum(used), 0) as used from hourly_usage where subject = $1',
      [limit.subject],
    );
    return Number(rows[0]?.used);
  }

  it('never admits more than the limit, each request whole or not at all, in any order of arrival', async () => {
    const arrivals = fc.array(
      fc.record({
        replica: fc.nat({ max: REPLICAS - 1 }),
        subject: fc.nat({ max: 2 }),
        cost: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 100 })),
        isAwaited: fc.boolean(),
        isOfEvents: fc.boolean(),
      }),
      { minLength: 1, maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(arrivals, fc.integer({ min: 0, max: 300 }), async (requests, perHour) => {
        const gateways = Array.from({ length: REPLICAS }, (_, replica) => startGateway(replica));
        const limits = Array.from({ length: 3 }, () => ({ subject: `key:${randomUUID()}`, perHour }));
        const admitted = new Map<HourlyLimit, number>();
        const refusedCosts = new Map<HourlyLimit, number[]>();
        const pending: Promise<void>[] = [];
        for (const { replica, subject, cost, isAwaited, isOfEvents } of requests) {
          const limit = at(limits, subject);
          const verdict = Promise.resolve(at(gateways, replica).consume(limit, cost, isOfEvents));
          const settled = verdict.then(({ kind, ...decision }) => {
            if (!('allowance' in decision)) throw new Error('Postgres is there.');
            expect(decision.allowance.limit).toBe(perHour);
            expect(decision.allowance.remaining).toBeGreaterThanOrEqual(0);
            if (kind === 'admitted') admitted.set(limit, (admitted.get(limit) ?? 0) + cost);
            else refusedCosts.set(limit, [...(refusedCosts.get(limit) ?? []), cost]);
          });
          pending.push(settled);
          if (isAwaited) await settled;
        }
        await Promise.all(pending);
        for (const limit of limits) {
          const sum = admitted.get(limit) ?? 0;
          expect(sum).toBeLessThanOrEqual(perHour);
          // Refused requests consumed nothing: the counter equals the admitted requests.
          expect(await usedOf(limit)).toBe(sum);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('admits exactly the limit when single requests compete over several gateways', async () => {
    const limit = { subject: `key:${randomUUID()}`, perHour: 100 };
    const gateways = Array.from({ length: REPLICAS }, (_, replica) => startGateway(replica));
    const verdicts = await Promise.all(
      Array.from({ length: 300 }, (_, index) => at(gateways, index % REPLICAS).consume(limit, 1)),
    );
    expect(verdicts.filter(({ kind }) => kind === 'admitted')).toHaveLength(100);
    expect(await usedOf(limit)).toBe(100);
  });

  it('refuses a whole batch beyond the remaining limit, consumes nothing, and still admits smaller ones', async () => {
    const gateway = startGateway();
    const limit = { subject: `key:${randomUUID()}`, perHour: 10 };
    const verdicts = await Promise.all([8, 5, 2, 1].map((cost) => gateway.consume(limit, cost)));
    expect(verdicts.map(({ kind }) => kind)).toEqual(['admitted', 'refused', 'admitted', 'refused']);
    expect(verdicts.map(remainingOf)).toEqual([2, 2, 0, 0]);
    expect(await usedOf(limit)).toBe(10);
  });

  it('survives a restart of the gateway', async () => {
    const limit = { subject: `key:${randomUUID()}`, perHour: 3 };
    await startGateway().consume(limit, 3);
    const verdict = await startGateway().consume(limit, 1);
    expect(verdict.kind).toBe('refused');
  });

  it('restarts with each UTC hour of the database clock, and returns its end', async () => {
    const gateway = startGateway();
    const limit = { subject: `key:${randomUUID()}`, perHour: 2 };
    await turnClockTo('2026-01-31T09:59:59.900Z');
    const first = await gateway.consume(limit, 2);
    expect(first).toMatchObject({
      kind: 'admitted',
      allowance: { limit: 2, remaining: 0, resetSeconds: Date.UTC(2026, 0, 31, 10) / 1_000 },
    });
    expect((await startGateway().consume(limit, 1)).kind).toBe('refused');
    await turnClockTo('2026-01-31T10:00:00.000Z');
    const next = await startGateway().consume(limit, 1);
    expect(next).toMatchObject({ kind: 'admitted', allowance: { remaining: 1 } });
    if (next.kind !== 'unavailable') {
      expect(next.allowance.resetSeconds).toBe(Date.UTC(2026, 0, 31, 11) / 1_000);
    }
  });

  it('asks again after the hour that it knew to be used up', async () => {
    let nowMs = 1_000;
    const gateway = new HourlyLimiter({
      counters: new LimitStore(at(pools, 0)),
      areEventsBeside: true,
      monotonicMs: () => nowMs,
      onError: (error) => errors.push(error),
    });
    const limit = { subject: `key:${randomUUID()}`, perHour: 1 };
    await turnClockTo('2026-01-31T09:59:50Z');
    await gateway.consume(limit, 1);
    expect(gateway.knownRefusal(limit, 1)).toMatchObject({ kind: 'refused', retryAfterSeconds: 10 });
    nowMs += 10_000;
    expect(gateway.knownRefusal(limit, 1)).toBeUndefined();
    await turnClockTo('2026-01-31T10:00:00Z');
    expect((await gateway.consume(limit, 1)).kind).toBe('admitted');
  });

  it('refuses an exhausted subject without asking Postgres', async () => {
    const limit = { subject: `key:${randomUUID()}`, perHour: 1 };
    let calls = 0;
    const store = new LimitStore(at(pools, 0));
    const gateway = new HourlyLimiter({
      counters: {
        consume: (consumptions) => {
          calls += 1;
          return store.consume(consumptions, false);
        },
        usageOf: (subjects) => store.usageOf(subjects),
      },
      areEventsBeside: true,
      monotonicMs: () => performance.now(),
      onError: (error) => errors.push(error),
    });
    await gateway.consume(limit, 1);
    for (let index = 0; index < 100; index += 1) {
      expect((await gateway.consume(limit, 1)).kind).toBe('refused');
    }
    expect(calls).toBe(1);
  });

  it('obeys a changed limit with the next request, up and down', async () => {
    const gateway = startGateway();
    const subject = `key:${randomUUID()}`;
    expect((await gateway.consume({ subject, perHour: 2 }, 2)).kind).toBe('admitted');
    expect((await gateway.consume({ subject, perHour: 2 }, 1)).kind).toBe('refused');
    expect(await gateway.consume({ subject, perHour: 5 }, 1)).toMatchObject({
      kind: 'admitted',
      allowance: { limit: 5, remaining: 2 },
    });
    expect(await gateway.consume({ subject, perHour: 1 }, 1)).toMatchObject({
      kind: 'refused',
      allowance: { limit: 1, remaining: 0 },
    });
  });

  it('never deadlocks calls with many subjects in different orders', async () => {
    const gateways = Array.from({ length: REPLICAS }, (_, replica) => startGateway(replica));
    const limits = Array.from({ length: 50 }, () => ({ subject: `site:${randomUUID()}`, perHour: 1_000 }));
    const rounds = Array.from({ length: 10 }, (_, round) =>
      gateways.flatMap((gateway, replica) =>
        (replica + round) % 2 === 0
          ? limits.map((limit) => gateway.consume(limit, 1))
          : limits.toReversed().map((limit) => gateway.consume(limit, 1)),
      ),
    );
    const verdicts = await Promise.all(rounds.flat());
    expect(verdicts.every(({ kind }) => kind === 'admitted')).toBe(true);
    for (const limit of limits) expect(await usedOf(limit)).toBe(10 * REPLICAS);
  });

  it('forgets the hours that are over', async () => {
    const limit = { subject: `key:${randomUUID()}`, perHour: 5 };
    await turnClockTo('2026-01-31T07:30:00Z');
    await startGateway().consume(limit, 1);
    await turnClockTo('2026-01-31T09:30:00Z');
    await startGateway().consume(limit, 1);
    await new LimitStore(at(pools, 0)).forgetOldHours();
    expect(await usedOf(limit)).toBe(1);
  });

  function remainingOf(verdict: LimitVerdict): number | undefined {
    return verdict.kind === 'unavailable' ? undefined : verdict.allowance.remaining;
  }
});

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError('There is no such item.');
  return item;
}
