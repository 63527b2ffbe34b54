import type { ServiceEntry } from '../services/service-entry.js';
import { ATTRIBUTION_DAYS, COMPACTED, keptFor, QUERIES, REQUESTS } from '../services/topic-spec.js';

/** Assigns sessions to the arms of partner experiments, and measures the outcome. */
export const EXPERIMENTS = {
  name: 'experiments',
  role: 'behind',
  commands: [
    'create-experiment',
    'update-experiment',
    'delete-experiment',
    'start-experiment',
    'pause-experiment',
    'resume-experiment',
    'stop-experiment',
  ],
  queries: ['list-experiments', 'read-experiment', 'report-results', 'report-series', 'plan-sample'],
  requests: {
    assignSession: { name: 'experiments.assign-session', partitions: 3, config: REQUESTS },
    readWithheld: { name: 'experiments.read-withheld', partitions: 3, config: QUERIES },
  },
  facts: {
    experiments: { name: 'experiments.v1', partitions: 1, config: COMPACTED },
    sessionsAssigned: { name: 'sessions.assigned.v1', partitions: 3, config: keptFor(ATTRIBUTION_DAYS) },
  },
  isAskedToEraseSites: true,
  hasOutbox: true,
  localOperationsPort: 4185,
} as const satisfies ServiceEntry;
