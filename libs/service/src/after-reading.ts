import { setTimeout as delay } from 'node:timers/promises';
import type { ErasePerson, JobStepReport } from '@truetally/contracts/jobs';
import { type Messaging, TransientError } from '@truetally/messaging';
import type { ErasesPeople } from './person-erasure.js';

const LOOK_MS = 200;
/** A message that has waited for so long goes behind the others, and is tried again. */
const LONGEST_WAIT_MS = 5_000;
/** Of erasures that wait; of more than these, one that is tried again waits for a later end of the log. */
const MOST_TARGETS = 1_000;

export interface AfterReadingOptions {
  readonly messaging: Pick<Messaging, 'lag'>;
  /** The groups by which the service follows facts of sessions and clicks, without prefix. */
  readonly groups: readonly string[];
  /** The cursor of the piece that waits. Default: the first. */
  readonly at?: string;
  readonly waitMs?: number;
}

/**
 * An erasure in a service that follows facts: first it stores all that had been told when the erasure first came to it. Ingestion stores
 * nothing more of the person by then, so that nothing of them is read, and stored, later.
 */
export function afterReading(
  { messaging, groups, at, waitMs = LONGEST_WAIT_MS }: AfterReadingOptions,
  erasure: ErasesPeople,
): ErasesPeople {
  const positionsOf = async (): Promise<ReadonlyMap<string, Position>> => {
    const lags = await Promise.all(groups.map((group) => messaging.lag(group)));
    return new Map(
      lags
        .flat()
        .map(({ group, topic, partition, end, lag }) => [
          `${group}/${topic}/${partition}`,
          { end, read: end - lag },
        ]),
    );
  };
  // Until they are reached: a log that grows would always be ahead of a reader who is always some seconds behind.
  const targets = new Map<string, ReadonlyMap<string, Position>>();
  const untilRead = async (name: string): Promise<void> => {
    let now = await positionsOf();
    const told = targets.get(name) ?? now;
    targets.set(name, told);
    for (const [oldest] of targets) if (targets.size > MOST_TARGETS) targets.delete(oldest);
    const endsAt = performance.now() + waitMs;
    for (; isBehind(now, told); now = await positionsOf()) {
      if (performance.now() > endsAt)
        throw new TransientError('What was told before the erasure is not read yet.');
      await delay(LOOK_MS);
    }
    targets.delete(name);
  };
  return {
    step: async (asked: ErasePerson): Promise<JobStepReport> => {
      if (asked.cursor === (at ?? null)) await untilRead(asked.name);
      return erasure.step(asked);
    },
  };
}

/** Of a partition: the next record to be written, and the next one to be read. */
interface Position {
  readonly end: number;
  readonly read: number;
}

function isBehind(now: ReadonlyMap<string, Position>, told: ReadonlyMap<string, Position>): boolean {
  return [...told].some(([partition, { end }]) => {
    const { end: last, read } = now.get(partition) ?? { end, read: 0 };
    // A topic that was made anew ends earlier.
    return read < Math.min(end, last);
  });
}
