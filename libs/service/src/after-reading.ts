import { setTimeout as delay } from 'node:timers/promises';
import type { ErasePerson, JobStepReport } from '@truetally/contracts/jobs';
import type { Messaging } from '@truetally/messaging';
import { outboxSpan, untilWritersEnded } from '@truetally/persistence';
import type { Pool } from 'pg';
import type { ErasesPeople } from './person-erasure.js';
import { erasureReport } from './site-erasure.js';

const LOOK_MS = 200;
/** Shorter than a piece may take: then management is told to ask again, which is no failed attempt. */
const LONGEST_WAIT_MS = 5_000;
const AGAIN_IN_MS = 1_000;
/** Of erasures that wait; of more than these, one that is tried again waits for a later end of the log. */
const MOST_TARGETS = 1_000;

export interface FollowingGroup {
  readonly group: string;
  /** Where it has several: it may have no position yet in one of which it will read what is told by now. Default: none. */
  readonly topics?: readonly string[];
}

export interface AfterReadingOptions {
  readonly messaging: Pick<Messaging, 'lag'>;
  /** The groups by which the service follows facts of sessions and clicks, and their topics, without prefix. */
  readonly groups: readonly FollowingGroup[];
  /** Whether a group without any position is about to begin, and reads what was told before, too. Default: it is. */
  readonly isBeginning?: () => boolean;
  /** Whose outbox has facts of sessions: they are published first, because their followers are asked next. Default: none. */
  readonly pool?: Pick<Pool, 'query'>;
  /** The cursor of the piece that waits. Default: the first. */
  readonly at?: string;
  readonly waitMs?: number | undefined;
}

/**
 * An erasure in a service that follows facts: first it stores all that had been told when the erasure first came to it. Ingestion stores
 * nothing more of the person by then, so that nothing of them is read, and stored, later.
 */
export function afterReading(
  { messaging, groups, isBeginning = () => true, pool, at, waitMs = LONGEST_WAIT_MS }: AfterReadingOptions,
  erasure: ErasesPeople,
): ErasesPeople {
  const inLogs = async (): Promise<Positions | undefined> => {
    const lags = await Promise.all(groups.map(({ group, topics }) => messaging.lag(group, topics)));
    if (lags.some(({ length }) => length === 0) && isBeginning()) return undefined;
    return new Map(
      lags
        .flat()
        .map(({ group, topic, partition, end, lag }) => [
          `${group}/${topic}/${partition}`,
          { end, read: end - lag },
        ]),
    );
  };
  const inOutbox = async (): Promise<Positions> => {
    if (pool === undefined) return new Map();
    const { first, end } = await outboxSpan(pool);
    return new Map([['outbox', { end, read: first }]]);
  };
  // Until they are reached: a log that grows would always be ahead of a reader who is always some seconds behind.
  const targets = new Map<string, Positions>();
  const isReached = async (
    name: string,
    look: () => Promise<Positions | undefined>,
    endsAt: number,
  ): Promise<boolean> => {
    for (;;) {
      const now = await look();
      const told = targets.get(name) ?? now;
      if (told !== undefined) targets.set(name, told);
      for (const [oldest] of targets) if (targets.size > MOST_TARGETS) targets.delete(oldest);
      if (now !== undefined && told !== undefined && !isBehind(now, told)) return true;
      if (performance.now() > endsAt) return false;
      await delay(LOOK_MS);
    }
  };
  return {
    step: async (asked: ErasePerson): Promise<JobStepReport> => {
      const { name } = asked;
      const [logs, before, behind] = [name, `${name}/outbox`, `${name}/behind`] as const;
      const again = erasureReport({ cursor: asked.cursor, again_in_ms: AGAIN_IN_MS });
      const endsAt = performance.now() + waitMs;
      // What is read last is in the outbox only when the logs are read.
      if (
        asked.cursor === (at ?? null) &&
        !((await isReached(logs, inLogs, endsAt)) && (await isReached(before, inOutbox, endsAt)))
      )
        return again;
      const report = await erasure.step(asked);
      if (pool !== undefined) {
        // What was read before, to be published again, comes into the outbox behind the erasure.
        await untilWritersEnded(pool);
        if (!(await isReached(behind, inOutbox, endsAt))) return again;
      }
      for (const target of [logs, before, behind]) targets.delete(target);
      return report;
    },
  };
}

type Positions = ReadonlyMap<string, Position>;

/** Of a partition or an outbox: the next record to be written, and the next one to be read or published. */
interface Position {
  readonly end: number;
  readonly read: number;
}

function isBehind(now: Positions, told: Positions): boolean {
  return [...told].some(([partition, { end }]) => {
    const { end: last, read } = now.get(partition) ?? { end, read: 0 };
    // A topic that was made anew ends earlier, and so does an outbox that was emptied.
    return read < Math.min(end, last);
  });
}
