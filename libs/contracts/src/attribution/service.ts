import type { ServiceEntry } from '../services/service-entry.js';
import { KEPT_FOR_EVER, keptFor, QUERIES, REQUESTS } from '../services/topic-spec.js';

/** As long as the longest attribution window: a new worker sees every touch that can still count. */
const TOUCHES = keptFor(90);
/** Orders can be adjusted at any time, and a seal covers all earlier records. */
const LEDGER = KEPT_FOR_EVER;

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
    touchesRecorded: { name: 'touches.recorded.v1', partitions: 3, config: TOUCHES },
    conversionsRecorded: { name: 'conversions.recorded.v1', partitions: 6, config: LEDGER },
    ledgerSealed: { name: 'ledger.sealed.v1', partitions: 1, config: LEDGER },
  },
  isAskedToEraseSites: true,
  hasOutbox: true,
  localOperationsPort: 4184,
} as const satisfies ServiceEntry;
