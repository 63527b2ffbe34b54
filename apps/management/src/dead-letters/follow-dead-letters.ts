import {
  DEAD_LETTERS,
  type Messaging,
  readDeadLetter,
  subscribe,
  type Subscription,
} from '@truetally/messaging';
import { whileAvailable } from '@truetally/service';
import type { Pool } from 'pg';
import { keepDeadLetters } from '../storage/dead-letter.store.js';

interface Parts {
  readonly messaging: Messaging;
  readonly pool: Pool;
}

/** Stores the position and reason of each dead letter for searching; its bytes stay on the topic. */
export function followDeadLetters({ messaging, pool }: Parts): Promise<Subscription> {
  return subscribe(messaging, {
    topics: [DEAD_LETTERS.name],
    group: 'management.follow-dead-letters',
    handler: (facts) => whileAvailable(() => keepDeadLetters(pool, facts.map(readDeadLetter))),
  });
}
