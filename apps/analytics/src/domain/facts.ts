import type { TrustClass } from '@truetally/contracts/credentials';
import type { BasketEntry } from './basket.js';

/** What reports need of a stored event. Sessions and requests are keys: hashes of site and id. */
export interface EventFact {
  readonly eventId: string;
  readonly siteId: string;
  readonly eventType: string;
  readonly sessionKey: string;
  readonly requestKey: string;
  /** ISO 8601 UTC, to the microsecond at most. */
  readonly occurredAt: string;
  /** The same in microseconds since 1970. */
  readonly occurredMicros: number;
  /** In microseconds since 1970. */
  readonly receivedMicros: number;
  readonly trust: TrustClass;
  readonly isBot: boolean;
  readonly device: string | null;
  /** Place in the log: the order of a session's events of one instant. */
  readonly position: number;
  /** Of a purchase. */
  readonly purchase: ObservedPurchase | null;
  /** What its session did with products; nothing for most types. */
  readonly products: readonly BasketEntry[];
}

/** An order as a page or a backend reported it. */
export interface ObservedPurchase {
  /** `order_id`, else `transaction_id`. */
  readonly orderId: string | null;
  /** Undefined: the site's. */
  readonly currency: string | undefined;
  /** The shortest decimal of the stored number. */
  readonly amount: number;
}

/** An entry of the ledger that changes revenue. */
export interface LedgerEntryFact {
  readonly recordId: string;
  readonly siteId: string;
  readonly orderId: string;
  readonly eventType: 'purchase' | 'adjustment' | 'cancellation';
  readonly currency: string;
  readonly occurredAt: string;
  /** Minor units. */
  readonly revenueDelta: bigint;
}

/** A partner's touch. */
export interface TouchFact {
  readonly siteId: string;
  readonly touchKey: string;
  /** Null for one that names no session. */
  readonly sessionKey: string | null;
  readonly provider: string;
  readonly partnerId: string | null;
  readonly occurredAt: string;
}
