import { DEAD_LETTERS, readDeadLetter, subscribe, type Subscription } from '@truetally/messaging';
import { type ServiceContext, whileAvailable } from '@truetally/service';
import { keepDeadLetters } from '../storage/dead-letter.store.js';

/** Stores the position and reason of each dead letter for searching; its bytes stay on the topic. */
export function followDeadLetters({
  messaging,
  pool,
}: Pick<ServiceContext, 'messaging' | 'pool'>): Promise<Subscription> {
  return subscribe(messaging, {
    topics: [DEAD_LETTERS.name],
    group: 'management.follow-dead-letters',
    handler: (facts) => whileAvailable(() => keepDeadLetters(pool, facts.map(readDeadLetter))),
  });
}
