import { describe, expect, it } from '@jest/globals';
import { eventually } from './eventually.js';

describe('eventually', () => {
  it('returns the first truthy value of the condition', async () => {
    let calls = 0;
    await expect(eventually(() => (++calls === 3 ? 'there' : null), { intervalMs: 1 })).resolves.toBe(
      'there',
    );
    expect(calls).toBe(3);
  });

  it('a wait looks often in the beginning and seldom later', async () => {
    const looks: number[] = [];
    const begun = performance.now();
    await eventually(() => {
      looks.push(performance.now() - begun);
      return performance.now() - begun > 600;
    });
    expect(looks.length).toBeLessThan(40);
    const pauses = looks.slice(1).map((at, index) => at - (looks[index] ?? 0));
    expect(pauses.at(-1)).toBeGreaterThan(40);
  });

  it('takes a condition that throws for one that has not come true yet', async () => {
    let calls = 0;
    const condition = (): boolean => {
      if (++calls < 3) throw new Error('not yet');
      return true;
    };
    await expect(eventually(condition, { intervalMs: 1 })).resolves.toBe(true);
  });

  it('names the condition, with the last error as the cause', async () => {
    const waiting = eventually(() => Promise.reject(new Error('refused')), {
      timeoutMs: 20,
      intervalMs: 1,
      message: () => 'the door to open',
    });
    await expect(waiting).rejects.toMatchObject({
      message: 'Waited 20 ms in vain for the door to open',
      cause: new Error('refused'),
    });
  });
});
