import type { GroupLag } from '@truetally/messaging';

/** Ten minutes of samples: behind that, progress is told a little late. */
const MOST_SAMPLES = 600;

/** Up to when a partition was read. */
export interface ReadPartition {
  readonly topic: string;
  readonly partition: number;
  readonly readMs: number;
}

interface Sample {
  readonly atMs: number;
  readonly end: number;
}

/**
 * How far a reader is that tells no more than its offsets: once they have reached what was the end of the log at a moment,
 * everything up to that moment was read. So it also moves while new facts come all the time.
 */
export class SampledProgress {
  private readonly waiting = new Map<string, Sample[]>();

  /** @param atMs when the lags were asked for, or before */
  sample(
    lags: readonly Pick<GroupLag, 'topic' | 'partition' | 'lag' | 'end'>[],
    atMs: number,
  ): readonly ReadPartition[] {
    return lags.flatMap(({ topic, partition, lag, end }) => {
      const key = `${topic} ${partition}`;
      const samples = [...(this.waiting.get(key) ?? []), { atMs, end }];
      const reached = samples.findLastIndex((sample) => sample.end <= end - lag);
      this.waiting.set(key, samples.slice(reached + 1).slice(0, MOST_SAMPLES));
      const read = samples[reached];
      return read === undefined ? [] : [{ topic, partition, readMs: read.atMs }];
    });
  }
}
