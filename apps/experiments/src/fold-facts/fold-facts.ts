import { TOPICS } from '@truetally/contracts/topics';
import { type Messaging, type ReceivedFact, subscribe, type Subscription } from '@truetally/messaging';
import { type ReportedRestore, reportedRestores } from '@truetally/persistence';
import { isOfLostFuture, whileAvailable } from '@truetally/service';
import type { Pool } from 'pg';
import type { FairFold } from './fair-fold.js';
import { restoreAssignments } from '../storage/lost-assignments.js';
import { namesNoAssignment, readFacts } from './read-facts.js';

/** Facts per call: more do not reduce the cost of each, and delay the results. */
const FACTS_PER_CALL = 500;
/** While facts arrive: results may be 5 s behind them, and a fetch costs as much as many orders that name no assignment. */
const GATHERED = { minBytes: 1_048_576, waitMs: 500 };

export interface FoldFactsOptions {
  readonly messaging: Messaging;
  readonly pool: Pool;
  readonly folding: FairFold;
}

/** Follows assignments and the ledger, and folds both into the sums of the results. */
export function foldFacts({ messaging, pool, folding }: FoldFactsOptions): Promise<Subscription> {
  // A restore is reported while the service is stopped.
  let restores: readonly ReportedRestore[] | undefined;
  const fold = async (facts: readonly ReceivedFact[]): Promise<void> => {
    const known = (restores ??= await reportedRestores(pool));
    const [lost, counting] = partition(facts, (fact) => isOfLostFuture(fact, known));
    const { assigned, records } = readFacts(counting);
    // Lost records are decided again by the ledger; assignments are in no other place.
    const restored = await restoreAssignments(pool, readFacts(lost).assigned);
    await folding.fold({ assigned: [...assigned, ...restored], records });
  };
  return subscribe(messaging, {
    topics: [TOPICS.sessionsAssigned.name, TOPICS.conversionsRecorded.name],
    group: 'experiments.fold-facts',
    factsPerCall: FACTS_PER_CALL,
    gathered: GATHERED,
    isPassed: (topic, value) => topic === TOPICS.conversionsRecorded.name && namesNoAssignment(value),
    handler: (facts) => whileAvailable(() => fold(facts)),
  });
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
