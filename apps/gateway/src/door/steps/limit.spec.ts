import type { RequestHead } from '../../http/message.js';
import { describe, expect, it } from '@jest/globals';
import type { Exchange } from '../../http/exchange.js';
import { HourlyLimiter } from '../../limits/hourly-limiter.js';
import { VisitorShares } from '../../limits/visitor-shares.js';
import { countInMemory } from '../../testing/count-in-memory.js';
import { claimLimit } from './limit.js';
import type { AdmissionParts } from './step.js';

const HOUR = { subject: 'site:shop', perHour: 100_000 };

/** Visitors of a shop whose hour has so much left, at one address each. */
function shopWith(left: number, hour = HOUR) {
  let used = hour.perHour - left;
  const limiter = new HourlyLimiter({
    counters: {
      consume: (all) =>
        Promise.resolve(
          all.map(({ costs }) => {
            const counted = countInMemory(used, { perHour: hour.perHour, costs });
            used = counted.used;
            return counted.verdict;
          }),
        ),
      usageOf: () => Promise.reject(new Error('Nobody asks.')),
    },
    areEventsBeside: false,
    monotonicMs: () => 0,
    onError: (error) => {
      throw error;
    },
  });
  const visitors = new VisitorShares(
    ({ url }) => url ?? '',
    () => 0,
  );
  const visit = (address: string): Exchange => {
    const exchange = {
      request: { url: address } as RequestHead,
      caller: { kind: 'site', trust: 'browser', limit: hour },
    } as unknown as Exchange;
    claimLimit(exchange, { limiter, visitors } as AdmissionParts);
    return exchange;
  };
  return {
    refusalOf: async (address: string, cost: number) => {
      const exchange = visit(address);
      const refused = await exchange.charge?.(cost);
      const details = refused?.details && { details: refused.details };
      return refused && { name: refused.name, limit: exchange.allowance?.limit, ...details };
    },
    blame: (address: string, items: number) => visit(address).blame?.(items),
  };
}

describe('what no hour can hold', () => {
  it('a batch that is larger than the limit of an hour is told how many events an hour has', async () => {
    const { refusalOf } = shopWith(50, { ...HOUR, perHour: 50 });
    const refused = { name: 'limit-exceeded', limit: 50 };
    const events = ['must be at most 50, the limit of an hour, in one request'];
    expect(await refusalOf('192.0.2.1', 51)).toEqual({ ...refused, details: { events } });
    expect(await refusalOf('192.0.2.1', 50)).toBeUndefined();
    expect(await refusalOf('192.0.2.1', 50)).toEqual(refused);
  });
});

describe('the share of a visitor', () => {
  it('a visitor’s share is not used by what the shop’s hour does not admit', async () => {
    const { refusalOf } = shopWith(100);
    const byTheHour = { name: 'limit-exceeded', limit: HOUR.perHour };
    for (let n = 0; n < 250; n += 1) expect(await refusalOf('192.0.2.1', 101)).toEqual(byTheHour);
    expect(await refusalOf('192.0.2.1', 100)).toBeUndefined();
  });

  it('invalid items take ten times from the share of who sends them, and nothing more from the shop’s hour', async () => {
    const { refusalOf, blame } = shopWith(50_000);
    for (let batch = 0; batch < 20; batch += 1) {
      expect(await refusalOf('192.0.2.1', 100)).toBeUndefined();
      blame('192.0.2.1', 100);
    }
    expect(await refusalOf('192.0.2.1', 1)).toEqual({ name: 'limit-exceeded', limit: 20_000 });
    for (let batch = 0; batch < 200; batch += 1) expect(await refusalOf('198.51.100.1', 100)).toBeUndefined();
  });
});
