import type { Logger, Metrics } from '@truetally/platform';
import type { LedgerObserver } from './storage/ledger.store.js';
import type { VerificationObserver } from './verify-chain/chain-verifier.js';

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

/** Metrics of verification; `ledger_broken_chains` above zero is an alert, and the log says which record it is. */
export function observeVerification(
  metrics: Metrics,
  log: Pick<Logger, 'error'>,
): VerificationObserver & { readonly onBroken: (chains: number) => void } {
  const records = metrics.counter('ledger_verified_records_total', 'Records verified.');
  const ended = metrics.counter('ledger_verifications_total', 'Verifications of a chain that ended.', [
    'state',
  ]);
  const broken = metrics.gauge('ledger_broken_chains', 'Chains with a record that is known to be broken.');
  return {
    verified: (count) => records.inc(count),
    ended: (siteId, fault) => {
      ended.inc({ state: fault === null ? 'sound' : 'broken' });
      if (fault !== null) log.error({ site_id: siteId, ...fault }, 'A record of the ledger is broken.');
    },
    onBroken: (chains) => broken.set(chains),
  };
}
