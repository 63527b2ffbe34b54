import type { ServiceEntry } from '../services/service-entry.js';
import { ATTRIBUTION_DAYS, keptFor, QUERIES, REQUESTS } from '../services/topic-spec.js';

/** Clicks that leave a publisher's site, settlements of the networks, and the report of both. */
export const PUBLISHER_ANALYTICS = {
  name: 'publisher-analytics',
  role: 'behind',
  commands: [],
  queries: ['list-settlements', 'list-settlement-states', 'read-publisher-report', 'find-click'],
  requests: {
    // As many partitions as events, so that clicks and their references progress alike.
    recordReferences: { name: 'publisher-analytics.record-references', partitions: 6, config: REQUESTS },
    runSettlementStep: { name: 'publisher-analytics.run-settlement-step', partitions: 3, config: QUERIES },
  },
  facts: {
    settlementsChanged: { name: 'settlements.changed.v1', partitions: 3, config: keptFor(ATTRIBUTION_DAYS) },
  },
  isAskedToEraseSites: true,
  hasOutbox: true,
  localOperationsPort: 4186,
} as const satisfies ServiceEntry;
