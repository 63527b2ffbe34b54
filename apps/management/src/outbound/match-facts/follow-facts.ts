import { TOPICS } from '@truetally/contracts/topics';
import { beginGroup, type Messaging, subscribe, type Subscription } from '@truetally/messaging';
import type { WorkflowDirectory } from '../definitions/workflow-directory.js';
import { DELIVERIES_KEPT_MS, type FactMatcher } from './match-facts.js';

/** The group that matches facts with workflows. */
export const MATCHING_GROUP = 'outbound.match-facts';
const FOLLOWED = [TOPICS.eventsStored.name, TOPICS.conversionsRecorded.name];
const FACTS_PER_CALL = 1_000;
/** While facts arrive: a webhook is sent within a second, and a fetch costs as much as a hundred events. */
const GATHERED = { minBytes: 1_048_576, waitMs: 250 };

interface Parts {
  readonly messaging: Messaging;
  readonly matcher: FactMatcher;
  readonly directory: Pick<WorkflowDirectory, 'index' | 'untilSome'>;
}

/**
 * Follows what triggers workflows: stored events and records of the ledger. While there has never been a workflow nothing is read.
 * Resolves when it reads, or when it waits for the first one.
 */
export async function followFacts(parts: Parts): Promise<Subscription> {
  const closing = new AbortController();
  const { messaging, directory } = parts;
  let hasBegun = directory.index.size > 0;
  await messaging.untilDone('look for the position of a group', async () => {
    hasBegun ||= (await messaging.lag(MATCHING_GROUP)).length > 0;
  });
  if (hasBegun) return begin(parts, closing.signal);
  const begun = directory.untilSome(closing.signal).then(() => begin(parts, closing.signal));
  // Only at close.
  const atClose = begun.catch(() => undefined);
  return {
    close: async () => {
      closing.abort();
      await (await atClose)?.close();
    },
  };
}

/**
 * The group's first position is that of the time from which on the first workflow is for facts: none is missed, however late it
 * became known, and wherever a process ended. What came before is for no workflow. Where Kafka has forgotten a position, nothing
 * is read whose deliveries may be forgotten, too: it would be delivered again.
 */
function begin({ messaging, matcher, directory }: Parts, signal: AbortSignal): Promise<Subscription> {
  const beforeJoining = async (): Promise<void> => {
    const times = directory.index.records().map(({ effective_from: from }) => Date.parse(from));
    const nowMs = Date.now();
    const sinceMs = Math.max(nowMs - DELIVERIES_KEPT_MS, Math.min(nowMs, ...times));
    await beginGroup(messaging, { group: MATCHING_GROUP, topics: FOLLOWED, sinceMs });
  };
  return subscribe(messaging, {
    signal,
    topics: FOLLOWED,
    group: MATCHING_GROUP,
    factsPerCall: FACTS_PER_CALL,
    gathered: GATHERED,
    beforeJoining,
    isPassed: (topic, value) =>
      topic === TOPICS.eventsStored.name && (value === null || matcher.isPassed(value)),
    handler: (facts) => matcher.take(facts),
  });
}
