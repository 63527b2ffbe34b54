import type { ChainHead, LedgerRow } from '@truetally/contracts/attribution';

/** A ledger at one instant: a snapshot of the database, or an export of one. */
export interface LedgerSource {
  readonly records: number;
  /** Number of purchases, which determines the memory for their orders. */
  readonly orders: number;
  readonly heads: readonly ChainHead[];
  /** Every record, by site and position in its chain. May be read several times. */
  batches(): AsyncIterable<readonly LedgerRow[]>;
  close(): Promise<void>;
}
