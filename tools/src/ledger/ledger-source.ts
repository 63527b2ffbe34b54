import { type SealedFields } from '@truetally/contracts/attribution';

/** One record, every column as Postgres writes it as text. */
export type LedgerRow = SealedFields & {
  readonly previous_hash: string | null;
  readonly hash: string | null;
};

/** The last seal of a site's chain, as the bookkeeping beside the records has it. */
export interface ChainHead {
  readonly site_id: string;
  readonly sequence: string;
  readonly hash: string;
}

/** A ledger at one instant: a snapshot of the database, or an export of one. */
export interface LedgerSource {
  readonly records: number;
  /** So many purchases: says how much memory their orders will need, and nothing else. */
  readonly orders: number;
  readonly heads: readonly ChainHead[];
  /** Every record by site and place in its chain. May be read several times. */
  batches(): AsyncIterable<readonly LedgerRow[]>;
  close(): Promise<void>;
}
