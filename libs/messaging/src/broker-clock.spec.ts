import { beforeEach, describe, expect, it } from '@jest/globals';
import { DAY_MS } from '@truetally/kernel';
import fc from 'fast-check';
import { BrokerClock, isExpired, tooOld } from './broker-clock.js';

const START_MS = 1_800_000_000_000;
let warnings: object[];
let skews: number[];
/** Elapsed true time; the brokers' clock is right, and ours may be wrong. */
let elapsedMs: number;
let wrongByMs: number;
let clock: BrokerClock;
const ignore = (): void => undefined;

function newClock(): BrokerClock {
  [warnings, skews, elapsedMs, wrongByMs] = [[], [], 0, 0];
  return new BrokerClock(
    { debug: ignore, info: ignore, error: ignore, warn: (fields) => void warnings.push(fields) },
    (metric, value) => {
      expect(metric).toBe('messaging_clock_skew_seconds');
      skews.push(value);
    },
    { monotonicMs: () => elapsedMs, wallMs: () => START_MS + elapsedMs + wrongByMs },
  );
}

const brokerNowMs = (): number => START_MS + elapsedMs;

beforeEach(() => {
  clock = newClock();
});

describe('the time by the brokers', () => {
  it('the time by the brokers is unknown until one has stamped something', () => {
    expect(clock.nowMs()).toBeUndefined();
    expect(clock.skewMs()).toBeUndefined();
  });

  it('the time by the brokers lags by the lowest observed delivery delay, whatever the local clock says', () => {
    const ways = fc.array(fc.record({ waitMs: fc.nat({ max: 500 }), wayMs: fc.nat({ max: 60_000 }) }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(ways, fc.integer({ min: -1e10, max: 1e10 }), (records, wrongMs) => {
        clock = newClock();
        wrongByMs = wrongMs;
        let shortestMs = Number.POSITIVE_INFINITY;
        for (const { waitMs, wayMs } of records) {
          elapsedMs += waitMs;
          clock.observe(brokerNowMs() - wayMs);
          shortestMs = Math.min(shortestMs, wayMs);
          expect(clock.nowMs()).toBeCloseTo(brokerNowMs() - shortestMs, 3);
        }
      }),
    );
  });

  it('follows a broker whose clock is set back, after a while', () => {
    clock.observe(brokerNowMs() + 3_600_000);
    for (let minute = 0; minute < 30; minute++) {
      elapsedMs += 60_000;
      clock.observe(brokerNowMs());
    }
    expect(clock.nowMs()).toBeCloseTo(brokerNowMs(), 3);
  });

  it('warns of a clock of ours that differs by more than five seconds, once in a while', () => {
    clock.observe(brokerNowMs() - 5);
    expect(warnings).toEqual([]);
    expect(skews.at(-1)).toBeCloseTo(0.005, 3);
    wrongByMs = -12_000;
    clock.observe(brokerNowMs() - 4);
    clock.observe(brokerNowMs() - 3);
    expect(warnings).toEqual([{ skewMs: -11_996 }]);
    expect(skews.at(-1)).toBeCloseTo(-11.997, 3);
  });
});

/** What is known where our clock is ahead of the brokers' by so much. */
const aheadBy = (skewMs: number | undefined) => ({ skewMs: () => skewMs });
const UNKNOWN = aheadBy(undefined);

describe('a query', () => {
  const nowMs = Date.now();
  const late = { kind: 'query', deadlineMs: nowMs - 1 } as const;

  it('a query that a broker stamped is not late for a clock of its asker’s or of ours that is wrong', () => {
    const stampedLate = { ...late, brokerDeadlineMs: nowMs - 1 };
    expect(isExpired(stampedLate, aheadBy(0))).toBe(true);
    expect(isExpired(stampedLate, aheadBy(3_600_000))).toBe(false);
    // Our clock is an hour behind its asker's as well, and does not know that it has given up.
    expect(isExpired({ ...stampedLate, deadlineMs: nowMs + 3_600_000 }, aheadBy(0))).toBe(false);
    expect(isExpired({ kind: 'query', brokerDeadlineMs: nowMs - 1 }, aheadBy(0))).toBe(true);
  });

  it('a query is not late because its broker’s clock is behind another’s, or was set back', () => {
    clock.observe(brokerNowMs() + 60_000);
    clock.observe(brokerNowMs());
    expect(clock.skewMs()).toBe(-60_000);
    const asked = { kind: 'query', brokerDeadlineMs: nowMs + 10_000 } as const;
    expect(isExpired(asked, clock)).toBe(true);
    expect(isExpired({ ...asked, deadlineMs: nowMs + 10_000 }, clock)).toBe(false);
  });

  it('a query is late by our clock without a stamp of the brokers', () => {
    expect(isExpired({ ...late, deadlineMs: nowMs + 10_000 }, aheadBy(0))).toBe(false);
    expect(isExpired(late, aheadBy(3_600_000))).toBe(true);
  });

  it('a query is never late without a deadline, and a command never at all', () => {
    expect(isExpired({ kind: 'query' }, aheadBy(0))).toBe(false);
    expect(isExpired({ ...late, kind: 'command' }, aheadBy(0))).toBe(false);
    expect(tooOld({ kind: 'query', writtenMs: 0 }, UNKNOWN)).toBeUndefined();
  });
});

describe('a command', () => {
  const of = (writtenMs: number) => ({ kind: 'command', writtenMs }) as const;

  it('a command is too old when it is older than Kafka keeps requests', () => {
    expect(tooOld(of(Date.now() - 8 * DAY_MS + 60_000), UNKNOWN)).toBeUndefined();
    expect(tooOld(of(Date.now() - 8 * DAY_MS - 60_000), UNKNOWN)).toMatch(/^a command of \d{4}-.*8 days/);
  });

  it('a command is not too old for a clock of ours that is known to be ahead', () => {
    expect(tooOld(of(Date.now() - 20 * DAY_MS), aheadBy(15 * DAY_MS))).toBeUndefined();
  });

  it('a command without a time is taken as it is', () => {
    expect(tooOld(of(-1), UNKNOWN)).toBeUndefined();
  });
});
