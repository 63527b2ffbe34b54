import { type LedgerRow } from '@truetally/contracts/attribution';

/** The first inconsistency of a ledger. */
export interface Fault {
  /** A fault of a row, with the expected and the actual value. */
  readonly message: string;
}

export function faultOf(row: LedgerRow, problem: string): Fault {
  const { site_id, chain_sequence, record_id, order_id, event_type } = row;
  return {
    message: `site ${site_id}, record ${chain_sequence} (${event_type} ${record_id} of order ${order_id}): ${problem}`,
  };
}
