import { describe, expect, it } from '@jest/globals';
import type { ErasePerson } from '@truetally/contracts/jobs';
import type { GroupLag } from '@truetally/messaging';
import { afterReading } from './after-reading.js';
import { erasureReport } from './site-erasure.js';

const ID = '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01';
const STEP: ErasePerson = {
  ...{ name: 'step', jobId: ID, erasureId: ID, siteId: ID, userId: null, cursor: null },
  subjects: { sessionIds: ['session'], eventIds: [] },
};

/** A reader whose log grows by one record, and who reads two, each time that somebody looks. */
class Reader {
  looks = 0;
  readonly erasedAt: number[] = [];

  constructor(
    private readonly end: number,
    private readonly perLook: number,
  ) {}

  readonly erasure = {
    step: () => {
      this.erasedAt.push(this.looks);
      return Promise.resolve(erasureReport({ cursor: null }));
    },
  };

  readonly lag = (group = ''): Promise<readonly GroupLag[]> => {
    const end = this.end + this.looks;
    const read = Math.min(end, this.perLook * this.looks);
    this.looks += 1;
    return Promise.resolve([
      { group, topic: 'events', partition: 0, lag: end - read, end, expired: 0 },
      { group, topic: 'events', partition: 1, lag: 0, end: 0, expired: 0 },
    ]);
  };
}

describe('an erasure in a service that follows facts', () => {
  it('an erasure waits for what was told before it, and not for what is told meanwhile', async () => {
    const reader = new Reader(4, 2);
    await afterReading({ messaging: reader, groups: [{ group: 'follower' }] }, reader.erasure).step(STEP);
    expect(reader.erasedAt).toEqual([3]);
  });

  it('an erasure goes on at once with its later pieces, and where nothing waits', async () => {
    const reader = new Reader(0, 2);
    const erasure = afterReading({ messaging: reader, groups: [{ group: 'follower' }] }, reader.erasure);
    await erasure.step(STEP);
    await erasure.step({ ...STEP, cursor: 'later' });
    expect(reader.erasedAt).toEqual([1, 1]);
  });

  it('an erasure waits at the piece that it names, and at no other', async () => {
    const reader = new Reader(4, 2);
    const erasure = afterReading(
      { messaging: reader, groups: [{ group: 'follower' }], at: 'last' },
      reader.erasure,
    );
    await erasure.step(STEP);
    await erasure.step({ ...STEP, cursor: 'last' });
    expect(reader.erasedAt).toEqual([0, 3]);
  });

  it('an erasure is asked for again soon, as no failure, when the service does not read, and erases nothing until then', async () => {
    const reader = new Reader(4, 0);
    const erasure = afterReading(
      { messaging: reader, groups: [{ group: 'follower' }], waitMs: 0 },
      reader.erasure,
    );
    expect(await erasure.step(STEP)).toEqual(erasureReport({ cursor: null, again_in_ms: 1_000 }));
    expect(reader.erasedAt).toEqual([]);
  });

  it('an erasure waits for a group that is about to begin, until it has read what was told by then', async () => {
    const reader = new Reader(4, 2);
    let begins = 3;
    const lag = (group?: string): Promise<readonly GroupLag[]> =>
      (begins -= 1) > 0 ? Promise.resolve([]) : reader.lag(group);
    await afterReading({ messaging: { lag }, groups: [{ group: 'follower' }] }, reader.erasure).step(STEP);
    expect(reader.erasedAt).toEqual([3]);
  });

  it('an erasure does not wait for a group that has no reason to begin', async () => {
    const reader = new Reader(4, 2);
    const options = { messaging: { lag: () => Promise.resolve([]) }, groups: [{ group: 'follower' }] };
    await afterReading({ ...options, isBeginning: () => false }, reader.erasure).step(STEP);
    expect(reader.erasedAt).toEqual([0]);
  });

  it('an erasure that is asked for again waits for what was told before its first attempt, by a reader who is always behind', async () => {
    const reader = new Reader(4, 1);
    const erasure = afterReading(
      { messaging: reader, groups: [{ group: 'follower' }], waitMs: 0 },
      reader.erasure,
    );
    for (let attempt = 0; attempt < 10 && reader.erasedAt.length === 0; attempt += 1) {
      await erasure.step(STEP);
    }
    expect(reader.erasedAt).toEqual([5]);
  });
});
