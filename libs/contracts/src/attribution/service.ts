import type { ServiceEntry } from '../services/service-entry.js';
import { ATTRIBUTION_DAYS, KEPT_FOR_EVER, keptFor, QUERIES, REQUESTS } from '../services/topic-spec.js';

const FACTS = keptFor(ATTRIBUTION_DAYS);

/** Records touches and conversions, and each partner's commission. */
export const ATTRIBUTION_LEDGER = {
  name: 'attribution-ledger',
  role: 'behind',
  commands: ['create-commission-rule'],
  queries: ['list-touches', 'list-commission-rules'],
  requests: {
    recordTouches: { name: 'attribution-ledger.record-touches', partitions: 3, config: REQUESTS },
    recordConversion: { name: 'attribution-ledger.record-conversion', partitions: 6, config: REQUESTS },
    readOrder: { name: 'attribution-ledger.read-order', partitions: 3, config: QUERIES },
  },
  facts: {
    touchesRecorded: { name: 'touches.recorded.v1', partitions: 3, config: FACTS },
    conversionsRecorded: { name: 'conversions.recorded.v1', partitions: 6, config: FACTS },
    // A seal covers all earlier records, and is nothing but a hash.
    ledgerSealed: { name: 'ledger.sealed.v1', partitions: 1, config: KEPT_FOR_EVER },
  },
  isAskedToEraseSites: true,
  hasOutbox: true,
  localOperationsPort: 4184,
} as const satisfies ServiceEntry;
