import type { ChangedSettlement } from '@truetally/contracts/facts';
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

/** A state that counts from now on. */
export interface CountedState {
  readonly version: SettlementVersion;
  /** Null for a new settlement. */
  readonly previousStatus: SettlementStatus | null;
}

/** Far below what a broker takes; one change has at most 4 KB. */
const MAX_CHANGES_BYTES = 200_000;

/**
 * The facts of new states of one site's settlements, in their order and without click references: many changes
 * in one fact, because a row of the outbox and a message for each cost more than the import itself.
 */
export function settlementFacts(
  siteId: string,
  counted: readonly CountedState[],
  recordedAt: string,
): readonly PublisherFact[] {
  const facts: PublisherFact[] = [];
  let changes: string[] = [];
  let bytes = 0;
  counted.forEach((state, index) => {
    const change = JSON.stringify(changeOf(state));
    changes.push(change);
    bytes += Buffer.byteLength(change);
    if (bytes < MAX_CHANGES_BYTES && index < counted.length - 1) return;
    facts.push(
      factOf(siteId, changes, toMilliseconds(recordedAt), counted[index + 1 - changes.length] ?? state),
    );
    [changes, bytes] = [[], 0];
  });
  return facts;
}

function factOf(
  siteId: string,
  changes: readonly string[],
  recordedAt: string,
  { version: first }: CountedState,
): PublisherFact {
  const list = changes.join(',');
  return {
    topic: TOPICS.settlementsChanged.name,
    key: siteId,
    value: `{"site_id":${JSON.stringify(siteId)},"recorded_at":"${recordedAt}","changes":[${list}]}`,
    headers: {
      'content-type': 'application/json',
      'fact-id': `${first.settlementId}:${first.updatedAt}`,
    },
  };
}

function changeOf({ version, previousStatus }: CountedState): ChangedSettlement {
  const { currency } = version;
  return {
    settlement_id: version.settlementId,
    provider: version.provider,
    provider_transaction_id: version.providerTransactionId,
    order_reference: version.orderReference,
    status: version.status,
    previous_status: previousStatus,
    currency,
    commissionable_amount: formatMinor(version.commissionable, currency),
    commission_amount: formatMinor(version.commission, currency),
    transaction_at: version.transactionAt,
    updated_at: version.updatedAt,
  };
}
