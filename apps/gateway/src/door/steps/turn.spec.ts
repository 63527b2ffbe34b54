import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Exchange } from '../../http/exchange.js';
import { HolderTurns, TURN_BOUNDS } from '../../http/holder-turns.js';
import { Presence } from './body.js';
import type { AdmissionParts } from './step.js';
import { waitForTurn } from './turn.js';

// A request that waits for its turn has a timer.
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** How many requests of one owner, one after the other, begin at once while others are there; at a moment that does not pass. */
function beginningAtOnce(
  method: string,
  { isUpload = false, bytes = 0, isAnswered = true, headers = {} } = {},
): number {
  const turns = new HolderTurns(() => 0, new Presence(() => 0));
  const members: AdmissionParts['members'] = { holdersOf: () => ['workspace', 'owner'] };
  turns.note('somebody');
  for (let begun = 0; begun < 1_000; begun += 1) {
    const response = Object.assign(new EventEmitter(), { destroyed: false });
    const exchange = {
      ...{ caller: { kind: 'member' }, route: { receives: isUpload ? {} : undefined } },
      ...{
        request: { method, headers },
        response,
        receivedBytes: bytes,
      },
    } as unknown as Exchange;
    if (waitForTurn(exchange, { turns, members } as AdmissionParts) instanceof Promise) return begun;
    if (isAnswered) exchange.endTurn?.(0);
  }
  return Infinity;
}

const AT_ONCE = 1 + TURN_BOUNDS.burstBytes / (64 * 1024);

it('changes are paid for as 64 KiB each, however small they are, and reads that are small cost nothing', () => {
  expect(beginningAtOnce('POST')).toBe(AT_ONCE);
  expect(beginningAtOnce('DELETE', { bytes: 64 })).toBe(AT_ONCE);
  expect(beginningAtOnce('GET')).toBe(Infinity);
});

it('bodies are paid for four times, and so are files, which take no turn while they arrive', () => {
  const bytes = TURN_BOUNDS.burstBytes / 16;
  expect(beginningAtOnce('PUT', { bytes })).toBe(5);
  expect(beginningAtOnce('POST', { bytes, isUpload: true })).toBe(5);
});

it('large bodies are under way by twos, also packed, and small ones by sixteen, until one is answered', () => {
  const beginning = (announced: number, encoding?: string) => {
    const headers = { 'content-length': `${announced}`, ...(encoding && { 'content-encoding': encoding }) };
    return beginningAtOnce('PUT', { isAnswered: false, headers });
  };
  expect(beginning(0)).toBe(16);
  expect(beginning(60_000)).toBe(16);
  expect(beginning(512 * 1024)).toBe(5);
  expect(beginning(1024 * 1024)).toBe(2);
  expect(beginning(128 * 1024, 'gzip')).toBe(2);
});

/** As what services know who sends a request to a route with this credential. */
function holderAt(credential: string, owner: string): string | undefined {
  const turns = new HolderTurns(() => 0, new Presence(() => 0));
  const members: AdmissionParts['members'] = { holdersOf: () => ['workspace', owner] };
  const exchange = {
    ...{ caller: { kind: 'site' }, route: { credential, receives: undefined } },
    ...{ request: { method: 'POST', headers: {} }, response: new EventEmitter() },
  } as unknown as Exchange;
  void waitForTurn(exchange, { turns, members } as AdmissionParts);
  return exchange.holder;
}

it('visitors of a shop are told apart from its owner, and from visitors of others', () => {
  const [visitors, owner] = ['storefront-reader', 'management-writer'].map((one) => holderAt(one, 'owner'));
  expect(visitors).toMatch(/^[0-9a-f]{16}$/);
  expect(new Set([visitors, owner, holderAt('storefront-reader', 'another')]).size).toBe(3);
});
