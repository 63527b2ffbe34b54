import type { Metrics } from '@truetally/platform';
import type { StoreObserver } from './storage/event.store.js';
import type { PartitionCatalog } from './storage/partition-catalog.js';

/** Metrics of storing. */
export function observeStoring(metrics: Metrics, catalog: PartitionCatalog): StoreObserver {
  const stored = metrics.counter('ingestion_stored_total', 'Events stored.');
  const duplicates = metrics.counter('ingestion_duplicates_total', 'Events answered as duplicates.');
  const conflicts = metrics.counter(
    'ingestion_duplicate_conflicts_total',
    'Duplicates whose content differs from what was stored.',
  );
  const redelivered = metrics.counter('ingestion_redelivered_total', 'Requests delivered again.');
  const collisions = metrics.counter(
    'ingestion_collisions_total',
    'Transactions begun again because another one had stored the same event or counted the same request.',
  );
  const asked = metrics.counter('ingestion_filter_candidates_total', 'Keys asked of closed partitions.');
  const found = metrics.counter('ingestion_filter_hits_total', 'Keys that a closed partition had.');
  const seconds = metrics.seconds('ingestion_transaction_seconds', 'Duration of one storing transaction.');
  const sizes = metrics.sizes('ingestion_transaction_events', 'Events of one storing transaction.');
  metrics.observed(
    'ingestion_closed_partitions',
    'Closed partitions in the window.',
    () => catalog.count.closed,
  );
  metrics.observed(
    'ingestion_unread_partitions',
    'Closed partitions that are asked about every key, until their filter is read.',
    () => catalog.count.unread,
  );
  return {
    stored: (duration, requests) => {
      // Once a transaction: the library's counters cost as much as the sums of a hundred requests.
      const sums = { events: 0, rows: 0, published: 0, conflicts: 0, again: 0 };
      for (const one of requests) {
        sums.events += one.verdicts.length;
        sums.rows += one.storedRows;
        sums.published += one.published.length;
        sums.conflicts += one.conflicts;
        if (one.evidence === 'handled-before') sums.again += 1;
      }
      stored.inc(sums.rows);
      duplicates.inc(sums.events - sums.published);
      conflicts.inc(sums.conflicts);
      redelivered.inc(sums.again);
      seconds.observe(duration);
      sizes.observe(sums.events);
    },
    lookedUp: (candidates, hits) => {
      asked.inc(candidates);
      found.inc(hits);
    },
    collided: () => collisions.inc(),
  };
}
