import { TOPICS } from '@truetally/contracts/topics';
import { type Messaging, subscribe, type Subscription } from '@truetally/messaging';
import { whileAvailable } from '@truetally/service';
import type { FoldStore } from '../storage/fold.store.js';
import { readFacts } from './read-facts.js';

/** Facts per transaction: more do not reduce the cost of each, and delay the results. */
const FACTS_PER_CALL = 500;

/** Follows assignments and the ledger, and folds both into the sums of the results. */
export function foldFacts(messaging: Messaging, store: FoldStore): Promise<Subscription> {
  return subscribe(messaging, {
    topics: [TOPICS.sessionsAssigned.name, TOPICS.conversionsRecorded.name],
    group: 'experiments.fold-facts',
    factsPerCall: FACTS_PER_CALL,
    handler: async (facts) => {
      const { assigned, records } = readFacts(facts);
      if (assigned.length > 0 || records.length > 0)
        await whileAvailable(() => store.fold({ assigned, records }));
    },
  });
}
