import { FairQueue } from '@truetally/kernel';
import type { AskContext } from '@truetally/messaging';

/** Of requests whose asker names nobody. */
const NOBODY = 'nobody';

/**
 * Turns of those who answer for expensive reads, before one takes a connection: an owner with many, in however many workspaces, delays its own.
 * How many wait is bounded by what an owner may have under way at each gateway.
 */
export class ReadTurns {
  private readonly queue: FairQueue;

  /** @param ofHolder fewer than at once, so that there is always room for somebody else */
  constructor(atOnce: number, ofHolder: number) {
    this.queue = new FairQueue(atOnce, ofHolder);
  }

  /** Settles like the read. */
  run<T>({ holder = NOBODY }: Pick<AskContext, 'holder'>, read: () => Promise<T>): Promise<T> {
    return this.queue.run(holder, read);
  }
}
