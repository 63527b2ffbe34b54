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

/** A row of the outbox. */
type OutboxRow = Pick<PublisherFact, 'topic' | 'key'> & {
  readonly value: string | null;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A state that is now the current one. */
export interface CountedState {
  readonly version: SettlementVersion;
  /** Null for a new settlement. */
  readonly previousStatus: SettlementStatus | null;
}

/** Far below a broker's limit; one fact has at most 4 KB. */
const MAX_ROW_BYTES = 150_000;

/**
 * The rows of the outbox for new states of one site's settlements, in their order and without click references.
 * A row holds many facts, because a row for each costs more than storing the settlement. What was added is kept as
 * text, which is a fifth of the states' size: a step of an import adds thousands before it writes them.
 */
export class SettlementFacts {
  private readonly packed: PublisherFact[] = [];
  private readonly recorded: string;
  private facts: string[] = [];
  private bytes = 0;

  constructor(
    private readonly siteId: string,
    recordedAt: string,
  ) {
    this.recorded = toMilliseconds(recordedAt);
  }

  add(counted: readonly CountedState[]): void {
    for (const state of counted) {
      const fact = JSON.stringify(factOf(this.siteId, state, this.recorded));
      this.facts.push(fact);
      this.bytes += Buffer.byteLength(fact);
      if (this.bytes >= MAX_ROW_BYTES) this.pack();
    }
  }

  /** Everything that was added. */
  rows(): readonly PublisherFact[] {
    if (this.facts.length > 0) this.pack();
    return this.packed;
  }

  private pack(): void {
    this.packed.push({
      topic: TOPICS.settlementsChanged.name,
      key: this.siteId,
      value: `[${this.facts.join(',')}]`,
      headers: {},
    });
    this.facts = [];
    this.bytes = 0;
  }
}

/** The facts of a row as they are published: one message per settlement, whose states keep their order. */
export function unpackFacts(row: OutboxRow): readonly OutboxRow[] {
  if (row.topic !== TOPICS.settlementsChanged.name || row.value === null) return [row];
  const facts = JSON.parse(row.value) as readonly ChangedSettlementFact[];
  return facts.map((fact) => ({
    topic: row.topic,
    key: `${fact.site_id}:${fact.provider}:${fact.provider_transaction_id}`,
    value: JSON.stringify(fact),
    headers: {
      'content-type': 'application/json',
      'fact-id': `${fact.settlement_id}:${fact.updated_at}`,
    },
  }));
}

function factOf(
  siteId: string,
  { version, previousStatus }: CountedState,
  recordedAt: string,
): ChangedSettlementFact {
  const { currency } = version;
  return {
    settlement_id: version.settlementId,
    site_id: siteId,
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
    recorded_at: recordedAt,
  };
}
