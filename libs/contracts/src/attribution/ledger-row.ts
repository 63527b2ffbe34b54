import type { SealedFields } from './record-seal.js';

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
