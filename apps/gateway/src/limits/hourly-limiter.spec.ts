import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Consumption, ConsumptionVerdict } from '../storage/limit.store.js';
import { HourlyLimiter, type LimitVerdict } from './hourly-limiter.js';

/** Bounds of the limiter, as in docs/limits.md. */
const MAX_WAITING = 20_000;
const MAX_PER_CALL = 2_048;
const MAX_KNOWN = 100_000;

/**
 * Counters of the hour, whose calls stay pending while the test holds them; every request that costs at most
 * one is admitted.
 */
class Counters {
  readonly calls: (readonly Consumption[])[] = [];
  /** Whether each call may be committed late. */
  readonly late: boolean[] = [];
  secondsLeft = 1_800;
  usedBefore = 0;
  areOthersLent = false;
  private readonly waiting: (() => void)[] = [];
  private isHeld = false;

  readonly consume = async (
    consumptions: readonly Consumption[],
    isLate: boolean,
  ): Promise<readonly ConsumptionVerdict[]> => {
    this.calls.push(consumptions);
    this.late.push(isLate);
    if (this.isHeld) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return consumptions.map(({ costs }) => ({
      usedBefore: this.usedBefore,
      refused: new Set(costs.flatMap((cost, position) => (cost > 1 ? [position] : []))),
      hourEndsAtSeconds: 7_200,
      secondsLeft: this.secondsLeft,
      leased: 0,
      areOthersLent: this.areOthersLent,
    }));
  };

  hold(): void {
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
    for (const go of this.waiting.splice(0)) go();
  }
}

const NO_USAGE = {
  usageOf: () => Promise.resolve({ used: new Map<string, number>(), hourEndsAtSeconds: 0 }),
};

function limiterOf(
  counters: Pick<Counters, 'consume'>,
  monotonicMs: () => number = () => 0,
  areEventsBeside = true,
) {
  const errors: unknown[] = [];
  return {
    limiter: new HourlyLimiter({
      counters: { ...NO_USAGE, consume: counters.consume },
      areEventsBeside,
      monotonicMs,
      onError: (error) => errors.push(error),
    }),
    errors,
  };
}

const limitOf = (name: string | number, perHour = 1) => ({ subject: `key:${name}`, perHour });
const kindsOf = (verdicts: readonly LimitVerdict[]) => verdicts.map(({ kind }) => kind);

describe('calls to the counters', () => {
  it('sort their subjects, so that two gateways never deadlock', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 30 }), { maxLength: 80 }), async (arrivals) => {
        const counters = new Counters();
        const { limiter } = limiterOf(counters);
        counters.hold();
        const verdicts = arrivals.map((subject) => limiter.consume(limitOf(subject), 1));
        counters.release();
        await Promise.all(verdicts);
        for (const call of counters.calls) {
          const subjects = call.map(({ subject }) => subject);
          expect(subjects).toEqual([...new Set(subjects)].sort());
        }
      }),
    );
  });

  it('keep the order of arrival within a subject, and its answers', async () => {
    const counters = new Counters();
    const { limiter } = limiterOf(counters);
    counters.hold();
    const first = limiter.consume(limitOf('first'), 1);
    const later = ['b', 'a', 'b'].map((name, index) => limiter.consume(limitOf(name, 9), index + 1));
    counters.release();
    await first;
    expect(kindsOf(await Promise.all(later))).toEqual(['admitted', 'refused', 'refused']);
    expect(counters.calls[1]).toEqual([
      { subject: 'key:a', perHour: 9, costs: [2], wish: 0, ended: undefined },
      { subject: 'key:b', perHour: 9, costs: [1, 3], wish: 0, ended: undefined },
    ]);
  });

  it('go by the latest limit when it changed while requests waited', async () => {
    const counters = new Counters();
    const { limiter } = limiterOf(counters);
    counters.hold();
    const first = limiter.consume(limitOf('first'), 1);
    const waiting = [5, 50, 20].map((perHour) => limiter.consume(limitOf('changed', perHour), 1));
    counters.release();
    await first;
    const allowances = (await Promise.all(waiting)).map((verdict) =>
      verdict.kind === 'unavailable' ? undefined : verdict.allowance,
    );
    expect(allowances.map((allowance) => allowance?.limit)).toEqual([20, 20, 20]);
    expect(allowances.map((allowance) => allowance?.remaining)).toEqual([19, 18, 17]);
    expect(counters.calls[1]?.map(({ perHour }) => perHour)).toEqual([20]);
  });

  it('calls to the counters are made one at a time, each of a bounded number of requests', async () => {
    const counters = new Counters();
    const { limiter } = limiterOf(counters);
    counters.hold();
    const verdicts = Array.from({ length: MAX_PER_CALL + 2 }, (_, index) =>
      limiter.consume(limitOf(index % 7, MAX_WAITING), 1),
    );
    expect(counters.calls).toHaveLength(1);
    counters.release();
    await Promise.all(verdicts);
    const sizes = counters.calls.map((call) => call.reduce((sum, { costs }) => sum + costs.length, 0));
    expect(sizes).toEqual([1, MAX_PER_CALL, 1]);
  });

  it('calls to the counters are late only for events, and only where those are stored beside them', async () => {
    const late = async (areEventsBeside: boolean, second: boolean): Promise<boolean | undefined> => {
      const counters = new Counters();
      const { limiter } = limiterOf(counters, () => 0, areEventsBeside);
      counters.hold();
      const first = limiter.consume(limitOf('first'), 1);
      const others = [true, second].map((isOfEvents) => limiter.consume(limitOf('next', 9), 1, isOfEvents));
      counters.release();
      await Promise.all([first, ...others]);
      return counters.late[1];
    };
    expect(await late(true, true)).toBe(true);
    expect(await late(true, false)).toBe(false);
    expect(await late(false, true)).toBe(false);
  });

  it('calls to the counters that fail answer no request wrongly, and the next call follows', async () => {
    const counters = new Counters();
    let failing = true;
    const { limiter, errors } = limiterOf({
      consume: (...call) => (failing ? Promise.reject(new Error('away')) : counters.consume(...call)),
    });
    expect(await limiter.consume(limitOf('a'), 1)).toEqual({ kind: 'unavailable' });
    failing = false;
    expect(await limiter.consume(limitOf('a'), 1)).toMatchObject({ kind: 'admitted' });
    expect(errors).toEqual([new Error('away')]);
  });
});

describe('the queue', () => {
  it('refuses to wait with more than its bound, and takes more when they went', async () => {
    const counters = new Counters();
    const { limiter } = limiterOf(counters);
    counters.hold();
    const consume = () => limiter.consume(limitOf('busy', MAX_WAITING * 2), 1);
    const verdicts = Array.from({ length: MAX_WAITING + 1 }, consume);
    expect(await consume()).toEqual({ kind: 'unavailable' });
    counters.release();
    expect(new Set(kindsOf(await Promise.all(verdicts)))).toEqual(new Set(['admitted']));
    expect(await consume()).toMatchObject({ kind: 'admitted' });
  });
});

describe('the cached state of a subject', () => {
  it('ends with its hour by the clock at which it was asked, however long the answer took', async () => {
    const counters = new Counters();
    counters.secondsLeft = 10;
    let nowMs = 50_000;
    const { limiter } = limiterOf(counters, () => nowMs);
    counters.hold();
    const verdict = limiter.consume(limitOf('used up'), 1);
    nowMs += 4_000;
    counters.release();
    expect(await verdict).toMatchObject({ kind: 'admitted', allowance: { remaining: 0 } });
    const refusal = { kind: 'refused', allowance: { limit: 1, remaining: 0, resetSeconds: 7_200 } };
    expect(limiter.knownRefusal(limitOf('used up'), 1)).toEqual({ ...refusal, retryAfterSeconds: 6 });
    nowMs = 59_999;
    expect(limiter.knownRefusal(limitOf('used up'), 1)).toEqual({ ...refusal, retryAfterSeconds: 1 });
    nowMs = 60_000;
    expect(limiter.knownRefusal(limitOf('used up'), 1)).toBeUndefined();
  });

  it('refuses for a second only, where another gateway may give something back', async () => {
    const counters = new Counters();
    counters.areOthersLent = true;
    let nowMs = 50_000;
    const { limiter } = limiterOf(counters, () => nowMs);
    await limiter.consume(limitOf('lent'), 1);
    expect(limiter.knownRefusal(limitOf('lent'), 1)).toMatchObject({ kind: 'refused' });
    nowMs += 1_000;
    expect(limiter.knownRefusal(limitOf('lent'), 1)).toBeUndefined();
  });

  it('refuses only requests beyond the limit: no smaller ones, none with another limit, no other subject', async () => {
    const counters = new Counters();
    const { limiter } = limiterOf(counters);
    await limiter.consume(limitOf('a', 3), 1);
    expect(limiter.knownRefusal(limitOf('a', 3), 2)).toBeUndefined();
    expect(limiter.knownRefusal(limitOf('a', 3), 3)).toMatchObject({ kind: 'refused' });
    expect(limiter.knownRefusal(limitOf('a', 4), 3)).toBeUndefined();
    expect(limiter.knownRefusal(limitOf('b', 3), 3)).toBeUndefined();
  });

  it('never reports a negative remaining limit', async () => {
    const counters = new Counters();
    counters.usedBefore = 5;
    const { limiter } = limiterOf(counters);
    expect(await limiter.consume(limitOf('lowered', 2), 2)).toMatchObject({
      kind: 'refused',
      allowance: { limit: 2, remaining: 0 },
    });
    expect(limiter.knownRefusal(limitOf('lowered', 2), 1)).toMatchObject({ allowance: { remaining: 0 } });
  });

  it('the cached state of subjects is bounded in memory: past it everything is asked for again', async () => {
    const counters = new Counters();
    const { limiter } = limiterOf(counters);
    for (let from = 0; from < MAX_KNOWN; from += MAX_WAITING) {
      await Promise.all(
        Array.from({ length: MAX_WAITING }, (_, index) => limiter.consume(limitOf(from + index), 1)),
      );
    }
    expect(limiter.knownRefusal(limitOf(0), 1)).toMatchObject({ kind: 'refused' });
    // A known subject needs no more room.
    await limiter.consume(limitOf(1, 2), 1);
    expect(limiter.knownRefusal(limitOf(0), 1)).toMatchObject({ kind: 'refused' });
    await limiter.consume(limitOf('one more'), 1);
    expect(limiter.knownRefusal(limitOf(0), 1)).toBeUndefined();
    expect(limiter.knownRefusal(limitOf('one more'), 1)).toMatchObject({ kind: 'refused' });
  });
});

it.each([0, -1, 1.5, 1_001, Number.NaN])('no request costs %p', (cost) => {
  const { limiter } = limiterOf(new Counters());
  expect(() => limiter.consume(limitOf('a', 5_000), cost)).toThrow(RangeError);
});
