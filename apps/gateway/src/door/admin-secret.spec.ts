import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { RequestHead } from '../http/message.js';
import type { ClientAddresses } from '../http/shares.js';
import { AdminSecret } from './admin-secret.js';

const MINUTE_MS = 60_000;

afterEach(() => {
  jest.useRealTimers();
});

describe('wrong admin secrets in the log', () => {
  it('wrong admin secrets are a line at once and then one a minute, which counts those that came', () => {
    jest.useFakeTimers();
    const lines: [string, number][] = [];
    const admin = new AdminSecret({
      secret: 'right',
      addresses: { of: ({ headers }: RequestHead) => headers['x-address'] } as unknown as ClientAddresses,
      monotonicMs: () => jest.now(),
      onWrong: (address, attempts) => void lines.push([address, attempts]),
    });
    const tryFrom = (address: string, times: number): void => {
      const headers = { authorization: 'Bearer wrong', 'x-address': address };
      for (let n = 0; n < times; n++) void admin.check({ headers } as unknown as RequestHead);
    };
    tryFrom('a', 1_000);
    tryFrom('b', 1_000);
    expect(lines).toEqual([['a', 1]]);
    jest.advanceTimersByTime(MINUTE_MS);
    expect(lines).toEqual([
      ['a', 1],
      ['b', 1_999],
    ]);
    jest.advanceTimersByTime(10 * MINUTE_MS);
    tryFrom('c', 2);
    expect(lines).toEqual([
      ['a', 1],
      ['b', 1_999],
      ['c', 1],
    ]);
  });
});
