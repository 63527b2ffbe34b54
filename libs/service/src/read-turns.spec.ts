import { expect, it } from '@jest/globals';
import { ReadTurns } from './read-turns.js';

it('a read whose asker waits no more is not begun when its turn comes, and the next one is', async () => {
  let nowMs = 0;
  const turns = new ReadTurns(1, 1, () => nowMs);
  const begun: string[] = [];
  let end: () => void = () => undefined;
  const read = turns.taken(async (name: string) => {
    begun.push(name);
    if (name === 'first') await new Promise<void>((resolve) => (end = resolve));
    return { ok: name };
  });
  const first = read('first', { holder: 'owner' });
  const late = read('late', { holder: 'owner', deadlineMs: 1_000 });
  const other = read('other', { holder: 'owner', deadlineMs: 60_000 });
  nowMs = 10_000;
  end();
  expect(await first).toEqual({ ok: 'first' });
  expect(await late).toMatchObject({ error: { code: 'UNAVAILABLE' } });
  expect(await other).toEqual({ ok: 'other' });
  expect(begun).toEqual(['first', 'other']);
});

it('a report waits for its owner’s turn, however many reports another owner has asked for, of whichever sites', async () => {
  let running = 0;
  let most = 0;
  const read = new ReadTurns(2, 1).taken(async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return { ok: {} };
  });
  const done: string[] = [];
  const ask = async (holder: string, siteId: string): Promise<void> => {
    await read(siteId, { holder });
    done.push(holder);
  };
  await Promise.all([
    ...Array.from({ length: 20 }, (_, n) => ask('greedy', `site ${n}`)),
    ask('modest', 'site'),
  ]);
  expect(done.indexOf('modest')).toBeLessThan(3);
  expect(done).toHaveLength(21);
  expect(most).toBe(2);
});
