import type { ServiceEntry } from '../services/service-entry.js';
import { keptFor, REQUESTS } from '../services/topic-spec.js';

/** Stores each event exactly once. */
export const INGESTION = {
  name: 'ingestion',
  role: 'behind',
  commands: [],
  queries: ['reconcile-events'],
  requests: {
    // The topic is older than the feature's name: a rename would lose requests that are still in it.
    trackEvent: { name: 'ingestion.track-event', partitions: 6, config: REQUESTS },
  },
  facts: {
    eventsStored: { name: 'events.stored.v1', partitions: 6, config: keptFor(7) },
    // The same facts, clicks only: consumers of clicks need not read every event.
    clicksStored: { name: 'clicks.stored.v1', partitions: 6, config: keptFor(7) },
  },
  isAskedToEraseSites: true,
  hasOutbox: false,
  localOperationsPort: 4182,
} as const satisfies ServiceEntry;
