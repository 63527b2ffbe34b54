import type { Metrics } from '@truetally/platform';
import type { LedgerObserver } from './storage/ledger.store.js';

/** Metrics of recording. */
export function observeRecording(metrics: Metrics): LedgerObserver {
  const records = metrics.counter('ledger_records_total', 'Records sealed.');
  const lost = metrics.counter(
    'ledger_lost_races_total',
    'Groups decided again because another one was first.',
  );
  const seconds = metrics.seconds('ledger_transaction_seconds', 'Duration of one recording transaction.');
  const sizes = metrics.sizes('ledger_transaction_requests', 'Requests of one recording transaction.');
  return {
    recorded: (duration, items, sealed) => {
      records.inc(sealed);
      seconds.observe(duration);
      sizes.observe(items);
    },
    lostRace: () => lost.inc(),
  };
}
