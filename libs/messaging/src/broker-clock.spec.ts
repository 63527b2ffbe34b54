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

const clockOf = (nowMs: number | undefined, skewMs: number | undefined) => ({
  nowMs: () => nowMs,
  skewMs: () => skewMs,
});
const UNKNOWN = clockOf(undefined, undefined);

describe('a query', () => {
  const query = { kind: 'query', deadlineMs: Date.now() + 10_000, isStamped: true } as const;

  it('a query is late by the brokers’ time if they have stamped it, whatever our clock shows', () => {
    expect(isExpired(query, clockOf(query.deadlineMs, 3_600_000))).toBe(false);
    expect(isExpired(query, clockOf(query.deadlineMs + 1, -3_600_000))).toBe(true);
  });

  it('a query is late by our clock without a stamp of the brokers', () => {
    expect(isExpired({ ...query, isStamped: false }, clockOf(query.deadlineMs + 1, 0))).toBe(false);
    expect(isExpired({ ...query, isStamped: false, deadlineMs: Date.now() - 1 }, UNKNOWN)).toBe(true);
  });

  it('a query is never late without a deadline, and a command never at all', () => {
    expect(isExpired({ kind: 'query', isStamped: false }, UNKNOWN)).toBe(false);
    expect(isExpired({ ...query, kind: 'command', deadlineMs: 1 }, clockOf(9e15, 0))).toBe(false);
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
    expect(tooOld(of(Date.now() - 20 * DAY_MS), clockOf(undefined, 15 * DAY_MS))).toBeUndefined();
  });

  it('a command without a time is taken as it is', () => {
    expect(tooOld(of(-1), UNKNOWN)).toBeUndefined();
  });
});
