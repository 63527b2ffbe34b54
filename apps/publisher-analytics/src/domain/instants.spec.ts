import { describe, expect, it } from '@jest/globals';
import { epochMsOf, toMicroInstant, toMilliseconds } from './instants.js';
import { itemIdOf, settlementIdOf } from './names.js';

const EPOCH_MS = Date.UTC(2026, 0, 31, 9, 30, 0, 120);

describe('a time to the microsecond', () => {
  it.each([
    ['', '000'],
    ['4', '400'],
    ['456', '456'],
    ['4567', '456'],
  ])('a time to the microsecond has six digits, of %j behind the milliseconds', (subMillisecond, finer) => {
    const instant = toMicroInstant({ epochMs: EPOCH_MS, subMillisecond });
    expect(instant).toBe(`2026-01-31T09:30:00.120${finer}Z`);
    expect(toMilliseconds(instant)).toBe('2026-01-31T09:30:00.120Z');
    expect(epochMsOf(instant)).toBe(EPOCH_MS);
  });

  it('an invalid time is an error: it was validated on arrival', () => {
    expect(() => epochMsOf('yesterday')).toThrow('is one');
  });
});

describe('the id of', () => {
  const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

  it('a settlement follows from its site, network and transaction, and an item’s from its name', () => {
    const ids = [
      settlementIdOf('a', 'awin', '1'),
      settlementIdOf('b', 'awin', '1'),
      settlementIdOf('a', 'cj', '1'),
      settlementIdOf('a', 'awin', '2'),
      itemIdOf('a', 'content', '1'),
      itemIdOf('b', 'content', '1'),
      itemIdOf('a', 'destination', '1'),
      itemIdOf('a', 'content', '2'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(UUID);
    expect([settlementIdOf('a', 'awin', '1'), itemIdOf('a', 'content', '1')]).toEqual([ids[0], ids[4]]);
  });
});
