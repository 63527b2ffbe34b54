import { type SealedFields } from '@truetally/contracts/attribution';

/** One record, with every column in Postgres' text format. */
export type LedgerRow = SealedFields & {
  readonly previous_hash: string | null;
  readonly hash: string | null;
};

/** The last seal of a site's chain, as stored apart from the records. */
export interface ChainHead {
  readonly site_id: string;
  readonly sequence: string;
  readonly hash: string;
}

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
