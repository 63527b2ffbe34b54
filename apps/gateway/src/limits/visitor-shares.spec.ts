import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { VisitorShares } from './visitor-shares.js';

const HOUR_MS = 3_600_000;
const SHOP = { subject: 'site:shop', perHour: 100_000 };

function sharesAt(clock: { nowMs: number }) {
  const shares = new VisitorShares(
    ({ url }) => url ?? '',
    () => clock.nowMs,
  );
  return (address: string, cost: number, limit = SHOP) =>
    shares.take({ url: address } as IncomingMessage, limit, cost);
}

describe('what one visitor takes of a shop’s hour', () => {
  it('an address has a fifth of it, and other visitors theirs', () => {
    const take = sharesAt({ nowMs: 0 });
    for (let batch = 0; batch < 200; batch += 1) expect(take('192.0.2.1', 100)).toBeUndefined();
    expect(take('192.0.2.1', 1)).toMatchObject({
      kind: 'refused',
      allowance: { limit: 20_000, remaining: 0 },
      retryAfterSeconds: 1,
    });
    expect(take('198.51.100.1', 100)).toBeUndefined();
    expect(take('192.0.2.1', 100, { ...SHOP, subject: 'site:another' })).toBeUndefined();
  });

  it.each([
    ['192.0.2', (n: number) => `192.0.2.${n}`],
    ['a /48', (n: number) => `2001:0db8:0001:${n.toString(16).padStart(4, '0')}`],
  ])('many addresses of one network, %s, leave others what they need', (_network, addressOf) => {
    const take = sharesAt({ nowMs: 0 });
    let taken = 0;
    for (let n = 1; n <= 100; n += 1) while (take(addressOf(n), 1_000) === undefined) taken += 1_000;
    expect(taken).toBe(60_000);
    expect(take('203.0.113.1', 100)).toBeUndefined();
  });

  it('what was used comes back with time, as much as the next request needs when it was told to come', () => {
    const clock = { nowMs: 0 };
    const take = sharesAt(clock);
    take('192.0.2.1', 20_000);
    const refused = take('192.0.2.1', 100);
    expect(refused?.retryAfterSeconds).toBe(18);
    clock.nowMs += 17_900;
    expect(take('192.0.2.1', 100)).toBeDefined();
    clock.nowMs += 100;
    expect(take('192.0.2.1', 100)).toBeUndefined();
    clock.nowMs += HOUR_MS;
    expect(take('192.0.2.1', 20_000)).toBeUndefined();
  });

  it('a shop with a small limit has it for whoever comes first', () => {
    const take = sharesAt({ nowMs: 0 });
    expect(take('192.0.2.1', 1_000, { ...SHOP, perHour: 1_000 })).toBeUndefined();
  });
});
