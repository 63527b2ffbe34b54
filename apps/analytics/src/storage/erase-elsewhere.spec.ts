import { describe, expect, it } from '@jest/globals';
import type { JobStepReport } from '@truetally/contracts/jobs';
import { erasureReport } from '@truetally/service';
import { oneAtATime } from './erase-elsewhere.js';

const LOG = { warn: () => undefined };
const FIRST = { name: 'first', cursor: null };
const SECOND = { name: 'second', cursor: 'events/0' };
const DONE = erasureReport({ cursor: null, done: 3 });
/** Nobody waits in these tests. */
const NO_TIME_MS = 1;

describe('the erasures in another store', () => {
  it('an erasure that takes longer than its asker waits is asked for again, and answers when it is done', async () => {
    const alone = oneAtATime(LOG, NO_TIME_MS);
    const { promise, resolve } = Promise.withResolvers<JobStepReport>();
    let begun = 0;
    const step = () => ((begun += 1), promise);
    for (let asked = 0; asked < 2; asked += 1)
      await expect(alone(FIRST, step)).resolves.toMatchObject({ cursor: null, again_in_ms: 1_000, done: 0 });
    expect(begun).toBe(1);
    resolve(DONE);
    await expect(alone(FIRST, step)).resolves.toEqual(DONE);
  });

  it('another erasure is asked for again, with its own cursor, until the one under way has ended, well or badly', async () => {
    const alone = oneAtATime(LOG);
    await expect(alone(FIRST, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    const { promise, resolve } = Promise.withResolvers<JobStepReport>();
    const first = alone(FIRST, () => promise);
    await expect(alone(SECOND, () => Promise.resolve(DONE))).resolves.toMatchObject({
      cursor: SECOND.cursor,
      again_in_ms: 1_000,
    });
    resolve(DONE);
    await expect(first).resolves.toEqual(DONE);
    await expect(alone(SECOND, () => Promise.resolve(DONE))).resolves.toEqual(DONE);
  });

  it('an erasure that failed while nobody waited for it is told, and begins anew', async () => {
    const told: unknown[] = [];
    const alone = oneAtATime({ warn: (fields: unknown) => told.push(fields) }, NO_TIME_MS);
    const { promise, reject } = Promise.withResolvers<JobStepReport>();
    await alone(FIRST, () => promise);
    reject(new Error('away'));
    await promise.catch(() => undefined);
    expect(await alone(FIRST, () => Promise.resolve(DONE))).toEqual(DONE);
    expect(told).toMatchObject([{ err: { message: 'away' }, step: 'first' }]);
  });
});
