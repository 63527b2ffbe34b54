import { TransientError } from '@truetally/messaging';
import { stepOnce } from '@truetally/persistence';
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

/**
 * One step at a time of all that erase in another store: each keeps two connections of the pool by which facts are folded
 * for as long as that store takes. The others are tried again.
 */
export function oneAtATime() {
  let isUnderWay = false;
  return async <Done>(step: () => Promise<Done>): Promise<Done> => {
    if (isUnderWay) throw new TransientError('Another erasure is under way in the other store.');
    isUnderWay = true;
    try {
      return await step();
    } finally {
      isUnderWay = false;
    }
  };
}
