import { performance } from 'node:perf_hooks';
import { failure, REMEMBERED_DAYS, type Reply } from '@truetally/kernel';
import { TransientError } from '@truetally/messaging';
import { StoreUnavailableError } from '@truetally/object-store';
import { deleteOlder, isTransient } from '@truetally/persistence';
import type { Pool } from 'pg';

/** A job that does not advance in as many attempts fails; with the delays between them that takes minutes. */
export const MOST_ATTEMPTS = 10;
/**
 * Where Postgres refuses a step earlier than that, it would refuse any other. A step that takes longer is slow itself:
 * its transaction was ended because it was silent or too long.
 */
const OWN_FAULT_MS = 5_000;
const KEEP = `${REMEMBERED_DAYS} days`;

/**
 * Counts how often a step of a job was begun. A step that ends neither in an answer nor in an error of its own, because
 * it takes too long or ends the process, would otherwise be repeated for ever, at the cost of all others. An outage
 * counts nothing: while Postgres is away no attempt can be begun.
 */
export class StepAttempts {
  constructor(private readonly pool: Pool) {}

  /**
   * Executes a step unless it was begun too often.
   * @param name of the step, the same in each repetition
   * @param work is told whether this is its last attempt
   * @returns its reply, or `CONFLICT`, which fails the job
   * @throws its errors, and Postgres'
   */
  async limit<T>(name: string, work: (isLast: boolean) => Promise<Reply<T>>): Promise<Reply<T>> {
    const attempt = await this.begin(name);
    if (attempt > MOST_ATTEMPTS) return failure('CONFLICT', STUCK);
    const begunMs = performance.now();
    try {
      const reply = await work(attempt === MOST_ATTEMPTS);
      if ('ok' in reply) await this.forget(name);
      return reply;
    } catch (error) {
      if (isOutage(error, performance.now() - begunMs)) await this.takeBack(name);
      throw error;
    }
  }

  private async begin(name: string): Promise<number> {
    const { rows } = await this.pool.query<{ attempts: number }>(
      `insert into step_attempts as known (name, attempts) values ($1, 1)
       on conflict (name) do update set attempts = known.attempts + 1 returning attempts`,
      [name],
    );
    return rows[0]?.attempts ?? 1;
  }

  private async takeBack(name: string): Promise<void> {
    await this.pool.query('update step_attempts set attempts = attempts - 1 where name = $1', [name]);
  }

  private async forget(name: string): Promise<void> {
    await this.pool.query('delete from step_attempts where name = $1', [name]);
    await deleteOlder(this.pool, { table: 'step_attempts', key: 'name', time: 'begun_at', keep: KEEP });
  }
}

const STUCK = 'The job did not advance in several attempts, and was ended; what was stored before stays.';

/** Another part of the product is away: the object store, another service, or Postgres, whose errors have codes. */
function isOutage(error: unknown, tookMs: number): boolean {
  if (error instanceof StoreUnavailableError || error instanceof TransientError) return true;
  const hasCode = error instanceof Error && 'code' in error;
  return hasCode && tookMs < OWN_FAULT_MS && isTransient(error);
}
