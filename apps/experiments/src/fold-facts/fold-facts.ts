import { TOPICS } from '@truetally/contracts/topics';
import { type Messaging, subscribe, type Subscription } from '@truetally/messaging';
import { whileAvailable } from '@truetally/service';
import type { FairFold } from './fair-fold.js';
import { readFacts } from './read-facts.js';

/** Facts per call: more do not reduce the cost of each, and delay the results. */
const FACTS_PER_CALL = 500;

/** Follows assignments and the ledger, and folds both into the sums of the results. */
export function foldFacts(messaging: Messaging, folding: FairFold): Promise<Subscription> {
  return subscribe(messaging, {
    topics: [TOPICS.sessionsAssigned.name, TOPICS.conversionsRecorded.name],
    group: 'experiments.fold-facts',
    factsPerCall: FACTS_PER_CALL,
    handler: (facts) => whileAvailable(() => folding.fold(readFacts(facts))),
  });
}
