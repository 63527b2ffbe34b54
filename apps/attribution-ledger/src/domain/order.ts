import type {
  Attribution,
  MarginBasis,
  OrderState as OrderStateName,
} from '@truetally/contracts/attribution';
import type { Amounts } from './accounts.js';
import type { AttributionRule } from './attribution-models.js';
import type { InstantColumn } from './instants.js';

/** The state of an order after its latest record. */
export interface Order {
  readonly siteId: string;
  readonly orderId: string;
  readonly conversionId: string;
  readonly currency: string;
  readonly state: OrderStateName;
  /** Of the latest record. */
  readonly orderSequence: number;
  /** Of the latest purchase, adjustment or cancellation. */
  readonly occurredAt: InstantColumn;
  readonly balances: Amounts;
  readonly marginBasis: MarginBasis | null;
  readonly attribution: readonly Attribution[];
  readonly purchasedAt: InstantColumn;
  readonly touchIds: readonly string[];
  readonly experimentAssignmentIds: readonly string[];
}

export const ENTRY_TYPES = ['purchase', 'adjustment', 'cancellation', 'commission'] as const;
export type EntryType = (typeof ENTRY_TYPES)[number];

/** Position in the log of the copy of the request's message that was recorded. */
export interface RequestPlace {
  readonly partition: number;
  readonly offset: string;
  readonly requestId: string;
}

/** A decided entry, before it is added to the chain. */
export interface Entry {
  readonly recordId: string;
  readonly eventType: EntryType;
  /** Null for a commission entry, which has no request. */
  readonly asked: {
    readonly idempotencyKey: string;
    readonly fingerprint: string;
    readonly place: RequestPlace;
    /** The same in each copy of the message: it identifies a redelivery. */
    readonly correlationId: string;
  } | null;
  readonly deltas: Amounts;
  readonly marginSource: string | null;
  readonly reason: string | null;
  /** JSON text. */
  readonly lines: string | null;
  /** For a purchase, the named ones; for a commission entry, the newly matched ones; otherwise none. */
  readonly touchIds: readonly string[];
  readonly experimentAssignmentIds: readonly string[];
  /** Who shares the commission: the rule in force at the decision. */
  readonly rule: AttributionRule;
  /** The order including this entry. */
  readonly order: Order;
}

/** Key of an order over all sites. */
export function orderKey(siteId: string, orderId: string): string {
  return `${siteId}:${orderId}`;
}

/** The touch ids of an order without a known touch. */
export function unmatchedOf(attribution: readonly Attribution[]): readonly string[] {
  return attribution.filter(({ outcome }) => outcome === 'unmatched').map(({ touch_id }) => touch_id);
}
