import { describe, expect, it } from '@jest/globals';
import { SampledProgress } from './sampled-progress.js';

const PLACE = { topic: 'events', partition: 0 };

describe('the progress of a reader that tells its offsets', () => {
  it('a partition without lag is read up to the moment at which it was asked', () => {
    const progress = new SampledProgress();
    expect(progress.sample([{ ...PLACE, end: 5, lag: 0 }], 1_000)).toEqual([{ ...PLACE, readMs: 1_000 }]);
  });

  it('a partition that always lags is read up to the moment whose end of the log was reached', () => {
    const progress = new SampledProgress();
    expect(progress.sample([{ ...PLACE, end: 10, lag: 4 }], 1_000)).toEqual([]);
    expect(progress.sample([{ ...PLACE, end: 20, lag: 8 }], 2_000)).toEqual([{ ...PLACE, readMs: 1_000 }]);
    expect(progress.sample([{ ...PLACE, end: 30, lag: 11 }], 3_000)).toEqual([]);
    expect(progress.sample([{ ...PLACE, end: 40, lag: 10 }], 4_000)).toEqual([{ ...PLACE, readMs: 3_000 }]);
  });

  it('partitions have a progress of their own', () => {
    const progress = new SampledProgress();
    const lags = [
      { ...PLACE, end: 5, lag: 1 },
      { ...PLACE, partition: 1, end: 7, lag: 0 },
    ];
    expect(progress.sample(lags, 9)).toEqual([{ ...PLACE, partition: 1, readMs: 9 }]);
  });
});
