import { expect, it } from '@jest/globals';
import { ReadTurns } from './read-turns.js';

it('a read whose asker waits no more is not begun when its turn comes, and the next one is', async () => {
  let nowMs = 0;
  const turns = new ReadTurns(1, 1, () => nowMs);
  const begun: string[] = [];
  let end: () => void = () => undefined;
  const first = turns.run({ holder: 'owner' }, async () => {
    begun.push('first');
    await new Promise<void>((resolve) => (end = resolve));
    return { ok: 1 };
  });
  const ask = (name: string, deadlineMs: number) =>
    turns.run({ holder: 'owner', deadlineMs }, () => {
      begun.push(name);
      return Promise.resolve({ ok: 2 });
    });
  const [late, other] = [ask('late', 1_000), ask('other', 60_000)];
  nowMs = 10_000;
  end();
  expect(await first).toEqual({ ok: 1 });
  expect(await late).toMatchObject({ error: { code: 'UNAVAILABLE' } });
  expect(await other).toEqual({ ok: 2 });
  expect(begun).toEqual(['first', 'other']);
});
