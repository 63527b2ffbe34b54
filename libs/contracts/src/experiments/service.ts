import type { ServiceEntry } from '../services/service-entry.js';
import { COMPACTED, KEPT_FOR_EVER, QUERIES, REQUESTS } from '../services/topic-spec.js';

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
    // Kept for ever: an assignment never changes, and a rebuild of the sums starts with all of them.
    sessionsAssigned: { name: 'sessions.assigned.v1', partitions: 3, config: KEPT_FOR_EVER },
  },
  isAskedToEraseSites: true,
  hasOutbox: true,
  localOperationsPort: 4185,
} as const satisfies ServiceEntry;
