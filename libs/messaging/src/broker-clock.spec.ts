import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BrokerClock } from './broker-clock.js';

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
