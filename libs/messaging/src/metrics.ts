/**
 * Called with every measurement; the application maps it to its registry by `METRICS`. Counters get
 * increments, gauges the new value, histograms one observation.
 */
export type MessagingMetrics = (
  metric: MetricName,
  value: number,
  labels: Readonly<Record<string, string>>,
) => void;

/** Name of a measurement in `METRICS`. */
export type MetricName = keyof typeof METRICS;

interface Metric<Labels extends readonly string[] = readonly string[]> {
  readonly help: string;
  readonly labels: Labels;
}

/** Names, kinds and labels of all measurements. Topics and groups are named without the prefix. */
export const METRICS = {
  messaging_asks_total: counter('Asks by outcome: ok, error, unavailable, timeout.', ['topic', 'outcome']),
  messaging_ask_duration_seconds: histogram('From the ask to its reply.', 'topic'),
  messaging_asks_pending: gauge('Asks that wait for a reply.', []),
  messaging_replies_late_total: counter('Replies whose asker no longer waited.', []),
  messaging_replies_undeliverable_total: counter('Replies whose topic is gone or that were too large.', []),
  messaging_send_messages: histogram('Messages in one produce request.', 'output'),
  messaging_send_retries_total: counter('Produce requests repeated.', ['output']),
  messaging_call_weight: histogram('Weight (events) given to a handler in one call.', 'group'),
  messaging_call_duration_seconds: histogram('Duration of one handler call.', 'group'),
  messaging_call_retries_total: counter('Handler calls repeated: transient, split, alone.', [
    'group',
    'reason',
  ]),
  messaging_passed_total: counter('Records passed over unread: nothing is to be done for them.', ['group']),
  messaging_expired_total: counter('Queries skipped because their deadline had passed.', ['group']),
  messaging_unknown_operations_total: counter('Deliveries of operations that this release does not know.', [
    'topic',
  ]),
  messaging_clock_skew_seconds: gauge("By how much this machine's clock is ahead of the brokers'.", []),
  messaging_unstored: gauge('Weight fetched and not yet finished.', ['group']),
  messaging_dead_letters_total: counter('Messages given up.', ['topic', 'group']),
  messaging_consumer_restarts_total: counter('Consumers replaced after a crash.', ['group']),
  messaging_rebalances_total: counter('Assignments received.', ['group']),
  messaging_expired_unread_total: counter('Records that a log removed before the group read them.', [
    'group',
    'topic',
  ]),
  messaging_table_failures_total: counter('Records that a compacted table could not apply.', ['topic']),
} as const satisfies Record<string, Metric>;

function counter(help: string, labels: readonly string[]): Metric & { readonly kind: 'counter' } {
  return { kind: 'counter', help, labels };
}

function gauge(help: string, labels: readonly string[]): Metric & { readonly kind: 'gauge' } {
  return { kind: 'gauge', help, labels };
}

function histogram(help: string, label: string): Metric<readonly [string]> & { readonly kind: 'histogram' } {
  return { kind: 'histogram', help, labels: [label] };
}
