import { MIN_COPIES } from './limits.js';
import { type MessagingLog } from './log.js';
import { type TopicDescription, type TopicSpec } from './topics.js';

/** A topic is on one broker, where more are required: acknowledged messages could be lost with it. */
export class NotReplicatedError extends Error {
  override readonly name = 'NotReplicatedError';
}

interface ReplicationRules {
  readonly isRequired: boolean;
  /** Whether the warning was already logged: one per process is enough. */
  readonly isTold: boolean;
  readonly log: MessagingLog;
}

/**
 * "On the replicated log" means that a message is on two brokers before it counts as written. Topics that
 * declare a single copy sufficient (replies) are exempt.
 * @returns whether the warning about a missing second copy has been logged
 * @throws NotReplicatedError
 */
export function checkReplication(
  topics: readonly TopicSpec[],
  found: ReadonlyMap<string, TopicDescription>,
  { isRequired, isTold, log }: ReplicationRules,
): boolean {
  const single = topics
    .filter(({ config }) => config?.['min.insync.replicas'] === undefined)
    .flatMap(({ name }) => found.get(name) ?? [])
    .filter(
      ({ replicationFactor, minInsyncReplicas }) =>
        replicationFactor < MIN_COPIES || minInsyncReplicas < MIN_COPIES,
    );
  if (single.length === 0) return isTold;
  const named = single.slice(0, MAX_NAMED).map(({ name }) => name);
  if (isRequired) {
    throw new NotReplicatedError(
      `KAFKA_REQUIRE_REPLICATION is true, but ${single.length} topics have fewer than ${MIN_COPIES} copies in sync to ` +
        `wait for, among them ${named.join(', ')}: give them replicas on other brokers, or start with more brokers.`,
    );
  }
  if (!isTold) {
    log.warn({ count: single.length, topics: named }, 'topics stand on one broker: what it loses is lost');
  }
  return true;
}

const MAX_NAMED = 5;
