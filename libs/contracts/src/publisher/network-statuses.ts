import { type SettlementStatus } from './settlement.js';

/** Each network's names for the state of a sale, in lower case, mapped to ours. */
export const NETWORK_STATUSES = {
  awin: { pending: 'pending', approved: 'approved', declined: 'declined', deleted: 'reversed' },
  cj: { new: 'pending', extended: 'pending', locked: 'approved', closed: 'approved', corrected: 'reversed' },
} as const satisfies Record<string, Readonly<Record<string, SettlementStatus>>>;
