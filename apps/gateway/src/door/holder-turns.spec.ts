import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type EndTurn, HolderTurns, type TurnBounds } from '../http/holder-turns.js';
import { Presence } from './steps/body.js';

const BOUNDS = {
  atOnce: 2,
  atOnceAlone: 2,
  bodiesAtOnce: 10,
  waiting: 3,
  waitingInAll: 4,
  longestWaitMs: 10_000,
  bytesPerSecond: 1_000,
  burstBytes: 2_000,
  aloneMs: 4_500,
};

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function turnsOf(bounds: Partial<TurnBounds> = {}) {
  const presence = new Presence(() => Date.now());
  const turns = new HolderTurns(() => Date.now(), presence, { ...BOUNDS, ...bounds });
  turns.note('somebody');
  const begun: string[] = [];
  const ends = new Map<string, EndTurn>();
  const refused: string[] = [];
  /** Takes a turn, and notes when it begins. */
  const take = async (holder: string, name: string, weight?: number, bodyBytes?: number): Promise<void> => {
    const end = await turns.take(holder, weight, bodyBytes);
    if (end === undefined) return void refused.push(name);
    begun.push(name);
    ends.set(name, end);
  };
  const end = async (name: string, bytes = 0): Promise<void> => {
    ends.get(name)?.(bytes);
    await jest.advanceTimersByTimeAsync(0);
  };
  return {
    ...{ take, end, begun, refused },
    note: (name: string) => turns.note(name),
    owe: (name: string, bytes: number) => turns.owe(name, bytes),
  };
}

describe('turns of holders', () => {
  it('a holder has so many requests under way, in the order of their arrival, and others do not wait for it', async () => {
    const { take, end, begun } = turnsOf();
    for (const name of ['a1', 'a2', 'a3', 'a4']) void take('a', name);
    await take('b', 'b1');
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
    await end('a2');
    expect(begun.at(-1)).toBe('a4');
  });

  it('a holder has under way what its requests may weigh together, and one however much it weighs', async () => {
    const { take, end, begun } = turnsOf({ atOnce: 10, waiting: 100, waitingInAll: 100 });
    await take('a', 'a20', 20);
    for (const weight of [6, 4, 1]) void take('a', `a${weight}`, weight);
    await take('b', 'b10', 10);
    expect(begun).toEqual(['a20', 'b10']);
    await end('a20');
    expect(begun).toEqual(['a20', 'b10', 'a6', 'a4']);
    await end('a4');
    expect(begun.at(-1)).toBe('a1');
  });

  it('a body waits for those of its holder under way, in their order, and what has none passes it', async () => {
    const { take, end, begun } = turnsOf({ atOnce: 4, waiting: 10, waitingInAll: 10 });
    await take('a', 'a20', 1, 20);
    for (const bytes of [8, 3, 2]) void take('a', `a${bytes}`, 1, bytes);
    await take('a', 'read');
    await take('b', 'b20', 1, 20);
    expect(begun).toEqual(['a20', 'read', 'b20']);
    await end('a20');
    expect(begun).toEqual(['a20', 'read', 'b20', 'a8']);
    await take('a', 'another read');
    await end('a8');
    expect(begun.slice(4)).toEqual(['another read', 'a3', 'a2']);
  });

  it('what waits is bounded by its weight, of a holder and of all', async () => {
    const { take, end, refused, begun } = turnsOf({ atOnce: 1 });
    for (const holder of ['a', 'b']) await take(holder, holder);
    void take('a', 'a2', 2);
    await take('a', 'too many of a', 2);
    void take('b', 'b2', 2);
    await take('b', 'too many of all');
    expect(refused).toEqual(['too many of a', 'too many of all']);
    await end('a');
    void take('b', 'b1');
    await end('b');
    await end('b2');
    expect(begun).toEqual(['a', 'b', 'a2', 'b2', 'b1']);
  });

  it('a holder that is alone has as much under way as it may have alone, until somebody comes', async () => {
    const { take, begun, note } = turnsOf({ atOnceAlone: Infinity });
    note('a');
    await jest.advanceTimersByTimeAsync(BOUNDS.aloneMs);
    for (const name of ['1', '2', '3']) await take('a', name);
    note('b');
    void take('a', '4');
    await jest.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(['1', '2', '3']);
  });

  it('a holder waits for half of the longest time at most, whatever it was answered and whatever it sent', async () => {
    const { take, end, begun, refused, owe, note } = turnsOf();
    await take('a', 'first');
    await end('first', 1_000_000);
    owe('a', 1_000_000);
    void take('a', 'second');
    await jest.advanceTimersByTimeAsync(2_000);
    note('b');
    await jest.advanceTimersByTimeAsync(BOUNDS.longestWaitMs / 2 - 2_001);
    expect(begun).toEqual(['first']);
    await jest.advanceTimersByTimeAsync(1);
    expect([begun, refused]).toEqual([['first', 'second'], []]);
  });

  it('a holder whose answers are large waits for its pace, however few of its requests are under way', async () => {
    const { take, end, begun } = turnsOf();
    await take('a', 'first');
    await end('first', 5_000);
    void take('a', 'second');
    await jest.advanceTimersByTimeAsync(2_990);
    expect(begun).toEqual(['first']);
    await take('b', 'another');
    await jest.advanceTimersByTimeAsync(20);
    expect(begun).toEqual(['first', 'another', 'second']);
  });

  it('a holder goes as fast as it can when nobody else was there for a while, and no longer when somebody comes', async () => {
    const { take, end, begun, note } = turnsOf();
    note('a');
    await jest.advanceTimersByTimeAsync(BOUNDS.aloneMs + 1);
    for (const name of ['1', '2', '3']) {
      await take('a', name);
      await end(name, 100_000);
    }
    note('b');
    void take('a', '4');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(begun).toEqual(['1', '2', '3']);
    await jest.advanceTimersByTimeAsync(BOUNDS.aloneMs - 990);
    expect(begun).toEqual(['1', '2', '3', '4']);
  });

  it('requests that wait for a pace begin one after the other, by what the last answer took', async () => {
    const { take, end, begun } = turnsOf();
    await take('a', '1');
    await end('1', 3_000);
    void take('a', '2');
    void take('a', '3');
    await jest.advanceTimersByTimeAsync(1_010);
    expect(begun).toEqual(['1', '2']);
    await end('2', 3_000);
    await jest.advanceTimersByTimeAsync(2_900);
    expect(begun).toEqual(['1', '2']);
    await jest.advanceTimersByTimeAsync(110);
    expect(begun).toEqual(['1', '2', '3']);
  });

  it('what a holder owes for an upload delays its next request, and nobody else’s', async () => {
    const { take, begun, owe } = turnsOf();
    owe('a', 5_000);
    void take('a', 'next');
    await take('b', 'another');
    await jest.advanceTimersByTimeAsync(2_990);
    expect(begun).toEqual(['another']);
    await jest.advanceTimersByTimeAsync(20);
    expect(begun).toEqual(['another', 'next']);
  });

  it('what the time of a long request has paid beyond its answer is no credit for later answers', async () => {
    const { take, end, begun, note } = turnsOf();
    await take('a', 'large');
    await end('large', 3_000);
    await jest.advanceTimersByTimeAsync(1_000);
    await take('a', 'long');
    await jest.advanceTimersByTimeAsync(5_000);
    note('b');
    await take('a', 'short');
    await end('short');
    await take('a', 'beside');
    await end('long');
    await end('beside', 4_500);
    void take('a', 'last');
    await jest.advanceTimersByTimeAsync(2_490);
    expect(begun).toEqual(['large', 'long', 'short', 'beside']);
    await jest.advanceTimersByTimeAsync(20);
    expect(begun.at(-1)).toBe('last');
  });

  it('a holder whose requests all wait is not alone, however long only another one is seen', async () => {
    const { take, end, begun, note } = turnsOf();
    await take('a', '1');
    await end('1', 6_900);
    void take('a', '2');
    for (let tenths = 0; tenths < 48; tenths += 1) {
      note('b');
      await jest.advanceTimersByTimeAsync(100);
    }
    expect(begun).toEqual(['1']);
    await jest.advanceTimersByTimeAsync(150);
    expect(begun).toEqual(['1', '2']);
  });

  it('requests that wait beyond the bound, or for too long, are refused, and no others', async () => {
    const { take, end, begun, refused } = turnsOf();
    for (const name of ['1', '2', '3', '4', '5', '6']) void take('a', name);
    await jest.advanceTimersByTimeAsync(0);
    expect(refused).toEqual(['6']);
    await jest.advanceTimersByTimeAsync(BOUNDS.longestWaitMs);
    expect(refused).toEqual(['6', '3', '4', '5']);
    await end('1');
    await take('a', '7');
    expect(begun).toEqual(['1', '2', '7']);
  });

  it('a turn that is given back twice counts once, and what was owed is paid by time', async () => {
    const { take, end, begun } = turnsOf();
    await take('a', '1');
    await end('1', 4_000);
    await end('1', 4_000);
    await jest.advanceTimersByTimeAsync(4_000);
    for (const name of ['2', '3', '4']) void take('a', name);
    await jest.advanceTimersByTimeAsync(0);
    expect(begun).toEqual(['1', '2', '3']);
  });
});
