/** An order as a page or a backend reported it. */
export interface ObservedPurchase {
  /** Place of its event among those of the fold. */
  readonly place: number;
  readonly eventId: string;
  readonly siteId: string;
  /** ISO 8601 UTC, to the microsecond at most. */
  readonly occurredAt: string;
  readonly receivedAt: string;
  readonly isFromServer: boolean;
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
