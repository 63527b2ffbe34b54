import { OffsetTracker } from '../consuming/offset-tracker.js';
import { type Work } from '../consuming/work.js';
import { WorkQueue } from '../consuming/work-queue.js';
import { type WorkQueueOptions } from '../consuming/work-queue-options.js';
import { workOf } from './works.js';

type Overrides = Partial<WorkQueueOptions<number, number>> & { readonly pending?: Promise<void> };

/** A queue of numbers that settles with the handler's results. */
export function harness({ pending, ...overrides }: Overrides) {
  const settled = new Map<number, number>();
  const givenUp: number[] = [];
  const tracker = new OffsetTracker();
  const ignore = (): void => undefined;
  const queue = new WorkQueue<number, number>({
    group: 'group',
    rows: 1_000,
    transactions: 1,
    unstored: 1_000,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    onMetric: ignore,
    handle: (items) => Promise.resolve(items),
    isExpired: () => false,
    settle: (works, outcomes) => {
      works.forEach(({ item }, index) => settled.set(item, outcomes[index] ?? Number.NaN));
      return pending;
    },
    giveUp: ({ item }) => {
      givenUp.push(item);
      return Promise.resolve();
    },
    ...overrides,
  });
  let next = 0;
  const push = (count: number): void => {
    const works: Work<number>[] = [];
    for (let each = 0; each < count; each++) works.push(workOf(next++, { tracker }));
    queue.push(works);
  };
  return { queue, settled, givenUp, tracker, push };
}
