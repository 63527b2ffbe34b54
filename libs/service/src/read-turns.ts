import { FairQueue, failure, type Reply } from '@truetally/kernel';
import type { AskContext } from '@truetally/messaging';

/** Of requests whose asker names nobody. */
const NOBODY = 'nobody';
/** Between this clock and the one by which a deadline is. */
const CLOCKS_DIFFER_MS = 2_000;

/**
 * Turns of those who answer for expensive reads, before one takes a connection: an owner with many, in however many workspaces,
 * delays its own.
 */
export class ReadTurns {
  private readonly queue: FairQueue;

  /** @param ofHolder fewer than at once, so that there is always room for somebody else */
  constructor(
    atOnce: number,
    ofHolder: number,
    private readonly nowMs: () => number = Date.now,
  ) {
    this.queue = new FairQueue(atOnce, ofHolder);
  }

  /** The read in its turn. It is not begun when nobody waits for its answer any more. */
  taken<Question, Answer>(read: (asked: Question) => Promise<Reply<Answer>>) {
    return (
      asked: Question,
      { holder = NOBODY, deadlineMs = Infinity }: Pick<AskContext, 'deadlineMs' | 'holder'>,
    ): Promise<Reply<Answer>> =>
      this.queue.run(holder, () => {
        if (this.nowMs() <= deadlineMs + CLOCKS_DIFFER_MS) return read(asked);
        return Promise.resolve(failure('UNAVAILABLE', 'The read waited for its turn for too long.'));
      });
  }
}
