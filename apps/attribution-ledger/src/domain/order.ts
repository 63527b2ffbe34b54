import type {
  Attribution,
  MarginBasis,
  OrderState as OrderStateName,
} from '@truetally/contracts/attribution';
import type { Amounts } from './accounts.js';
import type { AttributionRule } from './attribution-models.js';
import type { InstantColumn } from './instants.js';

/** An order as its latest record leaves it. */
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

/** The message of the log that asked for an entry: known again when it is delivered again. */
export interface RequestPlace {
  readonly partition: number;
  readonly offset: string;
  readonly requestId: string;
}

/** A decided entry, before it has its place in the chain. */
export interface Entry {
  readonly recordId: string;
  readonly eventType: EntryType;
  /** Null for a commission entry, which nobody asked for. */
  readonly asked: {
    readonly idempotencyKey: string;
    readonly fingerprint: string;
    readonly place: RequestPlace;
  } | null;
  readonly deltas: Amounts;
  readonly marginSource: string | null;
  readonly reason: string | null;
  /** JSON text. */
  readonly lines: string | null;
  /** Of the purchase: those that it names; of a commission entry: those that were matched; else none. */
  readonly touchIds: readonly string[];
  readonly experimentAssignmentIds: readonly string[];
  /** Who shares the commission by it: what was in force when it was decided. */
  readonly rule: AttributionRule;
  /** The order with this entry. */
  readonly order: Order;
}

/** Names an order among those of all sites. */
export function orderKey(siteId: string, orderId: string): string {
  return `${siteId}:${orderId}`;
}

/** The touch ids of an order that no touch is known for yet. */
export function unmatchedOf(attribution: readonly Attribution[]): readonly string[] {
  return attribution.filter(({ outcome }) => outcome === 'unmatched').map(({ touch_id }) => touch_id);
}
