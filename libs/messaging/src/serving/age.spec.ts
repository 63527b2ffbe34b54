import { describe, expect, it } from '@jest/globals';
import { DAY_MS } from '@truetally/kernel';
import { isExpired, tooOld } from './age.js';

const clock = (nowMs: number | undefined, skewMs: number | undefined) => ({
  nowMs: () => nowMs,
  skewMs: () => skewMs,
});
const UNKNOWN = clock(undefined, undefined);

describe('a query', () => {
  const query = { kind: 'query', deadlineMs: Date.now() + 10_000, isStamped: true } as const;

  it('a query is late by the brokers’ time if they have stamped it, whatever our clock shows', () => {
    expect(isExpired(query, clock(query.deadlineMs, 3_600_000))).toBe(false);
    expect(isExpired(query, clock(query.deadlineMs + 1, -3_600_000))).toBe(true);
  });

  it('a query is late by our clock without a stamp of the brokers', () => {
    expect(isExpired({ ...query, isStamped: false }, clock(query.deadlineMs + 1, 0))).toBe(false);
    expect(isExpired({ ...query, isStamped: false, deadlineMs: Date.now() - 1 }, UNKNOWN)).toBe(true);
  });

  it('a query is never late without a deadline, and a command never at all', () => {
    expect(isExpired({ kind: 'query', isStamped: false }, UNKNOWN)).toBe(false);
    expect(isExpired({ ...query, kind: 'command', deadlineMs: 1 }, clock(9e15, 0))).toBe(false);
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
    expect(tooOld(of(Date.now() - 20 * DAY_MS), clock(undefined, 15 * DAY_MS))).toBeUndefined();
  });

  it('a command without a time is taken as it is', () => {
    expect(tooOld(of(-1), UNKNOWN)).toBeUndefined();
  });
});
