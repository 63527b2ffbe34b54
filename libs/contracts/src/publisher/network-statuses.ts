import { type SettlementStatus } from './settlement.js';

/** What each network calls the state of a sale, in lower case, and what it is here. */
export const NETWORK_STATUSES = {
  awin: { pending: 'pending', approved: 'approved', declined: 'declined', deleted: 'reversed' },
  cj: { new: 'pending', extended: 'pending', locked: 'approved', closed: 'approved', corrected: 'reversed' },
} as const satisfies Record<string, Readonly<Record<string, SettlementStatus>>>;
