import type { ChangedSettlementFact } from '@truetally/contracts/facts';
import type { SettlementStatus } from '@truetally/contracts/publisher';
import { TOPICS } from '@truetally/contracts/topics';
import { formatMinor } from '@truetally/kernel';
import type { SettlementVersion } from './decide-settlement.js';
import { toMilliseconds } from './instants.js';

export interface PublisherFact {
  readonly topic: string;
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The fact of a settlement's new state, without its click reference. */
export function settlementFact(
  version: SettlementVersion,
  previousStatus: SettlementStatus | null,
  recordedAt: string,
): PublisherFact {
  const { siteId, provider, providerTransactionId, currency } = version;
  const fact: ChangedSettlementFact = {
    settlement_id: version.settlementId,
    site_id: siteId,
    provider,
    provider_transaction_id: providerTransactionId,
    order_reference: version.orderReference,
    status: version.status,
    previous_status: previousStatus,
    currency,
    commissionable_amount: formatMinor(version.commissionable, currency),
    commission_amount: formatMinor(version.commission, currency),
    transaction_at: version.transactionAt,
    updated_at: version.updatedAt,
    recorded_at: toMilliseconds(recordedAt),
  };
  return {
    topic: TOPICS.settlementsChanged.name,
    key: `${siteId}:${provider}:${providerTransactionId}`,
    value: JSON.stringify(fact),
    headers: {
      'content-type': 'application/json',
      'fact-id': `${version.settlementId}:${version.updatedAt}`,
    },
  };
}
