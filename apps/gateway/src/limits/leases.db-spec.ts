import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { ServiceDatabase } from '@truetally/testing-product';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { LimitStore } from '../storage/limit.store.js';
import { openLimitDatabase } from '../testing/limit-database.js';
import type { HourlyLimit } from './hourly-limit.js';
import { HourlyLimiter } from './hourly-limiter.js';

const GATEWAYS = 4;
/** The part of an hour that a lease is at most, and the last part, which nobody leases. */
const LEASE_PART = 64;
const EXACT_PART = 16;
const HOUR_MS = 3_600_000;
const LEASE_MS = 1_000;

describe('leases of an hour over several gateways, on a real Postgres', () => {
  let database: ServiceDatabase;
  let pools: readonly Pool[];
  const errors: unknown[] = [];
  /** Of all clocks. */
  let nowMs: number;

  beforeAll(async () => {
    database = await openLimitDatabase();
    pools = Array.from({ length: GATEWAYS }, () => database.openPool(1));
    await database.owner.query('create table now_is (at timestamptz)');
    await database.owner.query('grant select on now_is to public');
    await database.owner.query(
      `create or replace function limit_clock() returns timestamptz language sql volatile
       as $$ select at from now_is $$`,
    );
  });

  afterAll(() => database.close());

  beforeEach(() => turnTo(Date.UTC(2026, 0, 31, 12, 15)));

  afterEach(() => {
    expect(errors.splice(0)).toEqual([]);
  });

  async function turnTo(ms: number): Promise<void> {
    nowMs = ms;
    await database.owner.query('with gone as (delete from now_is) insert into now_is select $1', [
      new Date(ms),
    ]);
  }

  /** A gateway that counts its calls, and whose answers a test can lose. */
  class Gateway {
    calls = 0;
    losesNext = false;
    /** A killed gateway asks nothing more; what it has asked before may still be done. */
    isKilled = false;
    asked: Promise<unknown> = Promise.resolve();
    private readonly store: LimitStore;
    readonly limiter: HourlyLimiter;

    constructor(place: number) {
      const pool = pools[place];
      if (pool === undefined) throw new Error('There are as many pools as gateways.');
      this.store = new LimitStore(pool);
      this.limiter = new HourlyLimiter({
        counters: {
          consume: async (...call) => {
            if (this.isKilled) return new Promise(() => undefined);
            this.calls += 1;
            const asking = this.store.consume(...call);
            this.asked = asking;
            const answer = await asking;
            if (!this.losesNext) return answer;
            this.losesNext = false;
            throw new Error('lost');
          },
          usageOf: (subjects) => this.store.usageOf(subjects),
        },
        areEventsBeside: true,
        monotonicMs: () => nowMs,
        onError: (error) => {
          if (!(error instanceof Error && error.message === 'lost')) errors.push(error);
        },
      });
    }

    /** @returns the sum of the admitted costs */
    async send(limit: HourlyLimit, costs: readonly number[]): Promise<number> {
      const verdicts = await Promise.all(costs.map((cost) => this.limiter.consume(limit, cost, true)));
      const admitted = costs.filter((_, index) => verdicts[index]?.kind === 'admitted');
      return admitted.reduce((sum, cost) => sum + cost, 0);
    }
  }

  const open = (): Gateway[] => pools.map((_, place) => new Gateway(place));

  async function rowOf({ subject }: HourlyLimit): Promise<{ used: number; leased: number }> {
    const { rows } = await database.owner.query<{ used: number; leased: number }>(
      `select coalesce(sum(used), 0)::float8 as used, coalesce(sum(leased), 0)::float8 as leased
       from hourly_usage where subject = $1 and hour = date_trunc('hour', limit_clock(), 'UTC')`,
      [subject],
    );
    return rows[0] ?? { used: 0, leased: 0 };
  }

  const burst = fc.record({
    kind: fc.constant('burst' as const),
    by: fc.nat({ max: GATEWAYS - 1 }),
    costs: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 40 }),
    isAwaited: fc.boolean(),
  });
  const event = fc.record({
    kind: fc.constantFrom('pass', 'pass', 'stop', 'kill', 'lose', 'hour'),
    by: fc.nat({ max: GATEWAYS - 1 }),
  });
  const history = fc.array(fc.oneof({ weight: 5, arbitrary: burst }, { weight: 2, arbitrary: event }), {
    minLength: 10,
    maxLength: 60,
  });

  it('leases never admit more than the limit, whatever is stopped, killed or lost, and lose at most what those held', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 4_096, max: 12_000 }), async (steps, perHour) => {
        const limit = { subject: `site:${randomUUID()}`, perHour };
        const gateways = open();
        let admitted = 0;
        let killed = 0;
        const askedByKilled: Promise<unknown>[] = [];
        let isLost = false;
        let pending: Promise<void>[] = [];
        const settle = async (): Promise<void> => {
          await Promise.all(pending);
          pending = [];
          expect(admitted).toBeLessThanOrEqual(perHour);
        };
        for (const step of steps) {
          const gateway = gateways[step.by];
          if (gateway === undefined) throw new Error('There is no such gateway.');
          if (step.kind === 'burst' && 'costs' in step) {
            const isLosing = gateway.losesNext;
            const sent = gateway.send(limit, step.costs).then((sum) => void (admitted += sum));
            pending.push(sent);
            // What a lost answer had admitted is used by nobody, as before there were leases.
            if (step.isAwaited || isLosing) await settle();
            continue;
          }
          await settle();
          if (step.kind === 'pass') await turnTo(nowMs + LEASE_MS);
          if (step.kind === 'pass') for (const each of gateways) each.limiter.giveBack();
          if (step.kind === 'stop') await gateway.limiter.close();
          if (step.kind === 'kill') {
            killed += 1;
            gateway.isKilled = true;
            askedByKilled.push(gateway.asked);
          }
          if (step.kind === 'stop' || step.kind === 'kill') {
            gateways[step.by] = new Gateway(step.by);
          }
          if (step.kind === 'lose') {
            gateway.losesNext = true;
            isLost = true;
          }
          if (step.kind === 'hour') {
            await turnTo(nowMs + HOUR_MS);
            admitted = 0;
            killed = 0;
          }
        }
        await settle();
        for (const { limiter } of gateways) await limiter.close();
        await Promise.all(askedByKilled);
        const { used, leased } = await rowOf(limit);
        expect(used).toBeLessThanOrEqual(perHour);
        expect(used).toBeGreaterThanOrEqual(admitted);
        if (isLost) return;
        expect(used - admitted).toBeLessThanOrEqual(leased);
        expect(leased).toBeLessThanOrEqual(killed * Math.floor(perHour / LEASE_PART));
        // What is left is admitted to the last request.
        const rest = Array.from({ length: perHour - used + 3 }, () => 1);
        expect(await new Gateway(0).send(limit, rest)).toBe(perHour - used);
      }),
      { numRuns: 40 },
    );
  });

  it('leases spare a busy site its calls: some a second for each gateway, however many requests', async () => {
    const limit = { subject: `site:${randomUUID()}`, perHour: 72_000_000 };
    const gateways = open();
    const requests = 20_000;
    const rounds = 100;
    for (let round = 0; round < rounds; round += 1) {
      const costs = Array.from({ length: requests / rounds / GATEWAYS }, () => 1);
      await Promise.all(gateways.map((gateway) => gateway.send(limit, costs)));
    }
    const calls = gateways.reduce((sum, gateway) => sum + gateway.calls, 0);
    expect(calls).toBeLessThanOrEqual(GATEWAYS * 12);
    const { used, leased } = await rowOf(limit);
    expect(used - leased).toBeLessThanOrEqual(requests);
    for (const { limiter } of gateways) await limiter.close();
    expect(await rowOf(limit)).toEqual({ used: requests, leased: 0 });
  });

  it('a lease that is not used goes back within its second, and is admitted elsewhere', async () => {
    const limit = { subject: `site:${randomUUID()}`, perHour: 6_400 };
    const [idle, busy] = open();
    if (idle === undefined || busy === undefined) throw new Error('There are four gateways.');
    await idle.send(limit, [1, 1, 1, 1, 1, 1]);
    expect((await rowOf(limit)).leased).toBeGreaterThan(0);
    const { used } = await rowOf(limit);
    const wanted = Array.from({ length: limit.perHour }, () => 1);
    const first = await busy.send(limit, wanted);
    expect(first).toBe(limit.perHour - used);
    await turnTo(nowMs + LEASE_MS);
    idle.limiter.giveBack();
    await idle.limiter.close();
    expect(await busy.send(limit, wanted)).toBe(limit.perHour - 6 - first);
    expect(await rowOf(limit)).toEqual({ used: limit.perHour, leased: 0 });
  });

  it('the last sixteenth of an hour is never leased: it is exact over gateways', async () => {
    const limit = { subject: `site:${randomUUID()}`, perHour: 6_400 };
    const exact = limit.perHour / EXACT_PART;
    const gateways = open();
    const first = gateways[0];
    await first?.send(
      limit,
      Array.from({ length: (limit.perHour - exact) / 50 }, () => 50),
    );
    await first?.limiter.close();
    const sums = await Promise.all(
      gateways.slice(1).map((gateway) =>
        gateway.send(
          limit,
          Array.from({ length: exact }, () => 1),
        ),
      ),
    );
    expect(sums.reduce((sum, each) => sum + each, 0)).toBe(exact);
    expect(await rowOf(limit)).toEqual({ used: limit.perHour, leased: 0 });
  });

  it('a lowered limit is obeyed by the next request, whatever was leased under the former one', async () => {
    const subject = `site:${randomUUID()}`;
    const [gateway] = open();
    const costs = Array.from({ length: 10 }, () => 1);
    expect(await gateway?.send({ subject, perHour: 6_400 }, costs)).toBe(10);
    expect(await gateway?.send({ subject, perHour: 12 }, costs)).toBe(2);
    expect(await gateway?.send({ subject, perHour: 6_400 }, costs)).toBe(10);
    await gateway?.limiter.close();
    expect(await rowOf({ subject, perHour: 0 })).toEqual({ used: 22, leased: 0 });
  });
});
