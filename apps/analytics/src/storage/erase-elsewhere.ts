import { setTimeout as delay } from 'node:timers/promises';
import type { JobStepReport } from '@truetally/contracts/jobs';
import { stepOnce } from '@truetally/persistence';
import type { Logger } from '@truetally/platform';
import { erasureReport } from '@truetally/service';
import type { ClientBase, Pool } from 'pg';

/** Another store looks through all that it has, and rewrites large tables for many minutes. */
const LONGEST_SILENCE_MS = 2_400_000;

/** What a step erases in another store. */
export interface Elsewhere {
  count(): Promise<number>;
  erase(): Promise<void>;
}

interface Step {
  readonly pool: Pool;
  /** Of the step's transaction. */
  readonly client: ClientBase;
  /** Of the step, or of what it is about. */
  readonly name: string;
}

/**
 * Erases in another store, within a step's transaction: it ends only when nothing is left anywhere, and repetitions of the
 * step wait for it. The transaction says nothing meanwhile, for longer than others may. It must have no locks but its own.
 * @returns the number that was counted before anything was erased, also where an earlier attempt counted it
 */
export async function eraseElsewhere({ pool, client, name }: Step, elsewhere: Elsewhere): Promise<number> {
  await client.query(`set local idle_in_transaction_session_timeout = ${LONGEST_SILENCE_MS}`);
  const counted = await elsewhere.count();
  const kept = { name: `${name}: erased elsewhere`, cursor: null };
  const { found } = await stepOnce(pool, kept, () => Promise.resolve({ cursor: null, found: counted }));
  await elsewhere.erase();
  await client.query('set local idle_in_transaction_session_timeout = default');
  return found;
}

/** A piece of a job may take a third of a minute: who asks is told before that to ask again, which is no failed attempt. */
const LONGEST_WAIT_MS = 5_000;
const AGAIN_IN_MS = 1_000;

/** A piece of an erasure: asked again under this name, it does nothing and answers its first report. */
interface ErasurePiece {
  readonly name: string;
  readonly cursor: string | null;
}

/**
 * One step at a time of all that erase in another store: each keeps two connections of the pool by which facts are folded
 * for as long as that store takes. It goes on while its asker waits for another answer, and others are told to ask again.
 */
export function oneAtATime(log: Pick<Logger, 'warn'>, waitMs = LONGEST_WAIT_MS) {
  let underWay: { readonly name: string; readonly report: Promise<JobStepReport> } | undefined;
  const begin = (name: string, step: () => Promise<JobStepReport>) => {
    const report = step().finally(() => {
      underWay = undefined;
    });
    report.catch((error: unknown) => {
      log.warn({ err: error, step: name }, 'An erasure in the other store failed, and is asked for again.');
    });
    return { name, report };
  };
  return async (
    { name, cursor }: ErasurePiece,
    step: () => Promise<JobStepReport>,
  ): Promise<JobStepReport> => {
    const again = erasureReport({ cursor, again_in_ms: AGAIN_IN_MS });
    underWay ??= begin(name, step);
    if (underWay.name !== name) return again;
    const ended = new AbortController();
    const patience = delay(waitMs, again, { signal: ended.signal }).catch(() => again);
    return Promise.race([underWay.report, patience]).finally(() => ended.abort());
  };
}
