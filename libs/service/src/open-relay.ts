import { OutboxRelay } from '@truetally/persistence';
import type { Foundation } from './foundation.js';

/** The way of a service's facts from its outbox to Kafka; counts and tells what fails. It is not started yet. */
export function openRelay({ pool, messaging, metrics, log }: Foundation): OutboxRelay {
  const failures = metrics.counter(
    'outbox_failures_total',
    'Passes over the outbox that failed and are repeated.',
  );
  return new OutboxRelay({
    pool,
    publish: (facts) => messaging.publish(facts),
    onError: (error) => {
      failures.inc();
      log.warn({ err: error }, 'The outbox could not be published; it is tried again.');
    },
  });
}
