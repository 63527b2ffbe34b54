import { ownerOfFact } from '@truetally/contracts/facts';
import { type TopicSpec, TOPICS } from '@truetally/contracts/topics';
import { FencedPublisher, UndeliverableError } from '@truetally/messaging';
import { OutboxRelay, type OutboxRelayOptions } from '@truetally/persistence';
import type { Database } from './database.js';
import { observeOutbox } from './observe-database.js';
import type { ProcessContext } from './process-context.js';

type RelayContext = Pick<Database, 'pool' | 'schema'> &
  Pick<ProcessContext, 'log' | 'messaging' | 'metrics'> &
  Pick<OutboxRelayOptions, 'gatherMs' | 'unpack' | 'bytesPerSend'>;

/** Publishes a service's facts from its outbox to Kafka; counts and logs failures. It is not started yet. */
export function openRelay({
  pool,
  schema,
  messaging,
  metrics,
  log,
  gatherMs,
  unpack,
  bytesPerSend,
}: RelayContext): OutboxRelay {
  const failures = metrics.counter(
    'outbox_failures_total',
    'Passes over the outbox that failed and are repeated.',
  );
  observeOutbox(metrics, pool, Date.now);
  const setAside = metrics.counter(
    'outbox_set_aside_total',
    'Facts that Kafka refuses, kept aside until somebody replays or discards them.',
    ['topic'],
  );
  return new OutboxRelay({
    pool,
    ...(gatherMs === undefined ? {} : { gatherMs }),
    ...(unpack === undefined ? {} : { unpack }),
    ...(bytesPerSend === undefined ? {} : { bytesPerSend }),
    // Shared by all replicas of the service, and by nothing else.
    publisher: new FencedPublisher(messaging, `outbox.${schema}`),
    isUndeliverable: (error) => error instanceof UndeliverableError,
    isState: (topic) => STATE_TOPICS.has(topic),
    ownerOf: ownerOfFact,
    onSetAside: (facts) => {
      // Without the key, which may be a person's e-mail address.
      for (const { id, topic, reason } of facts) {
        setAside.inc({ topic });
        log.error({ fact: id, topic, reason }, 'Kafka refuses a fact; it is set aside, the others go on.');
      }
    },
    onError: (error) => {
      failures.inc();
      log.warn({ err: error }, 'The outbox could not be published; it is tried again.');
    },
  });
}

/** Topics on which only the newest fact of a key counts. */
const STATE_TOPICS: ReadonlySet<string> = new Set(
  Object.values<TopicSpec>(TOPICS)
    .filter(({ config }) => config?.['cleanup.policy'] === 'compact')
    .map(({ name }) => name),
);
