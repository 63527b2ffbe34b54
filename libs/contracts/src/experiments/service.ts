import type { ServiceEntry } from '../services/service-entry.js';
import { COMPACTED, KEPT_FOR_EVER, QUERIES, REQUESTS } from '../services/topic-spec.js';

/** Assigns sessions to the arms of partner experiments, and measures the outcome. */
export const EXPERIMENTS = {
  name: 'experiments',
  role: 'behind',
  requests: {
    createExperiment: { name: 'experiments.create-experiment', partitions: 1, config: REQUESTS },
    listExperiments: { name: 'experiments.list-experiments', partitions: 1, config: QUERIES },
    readExperiment: { name: 'experiments.read-experiment', partitions: 1, config: QUERIES },
    updateExperiment: { name: 'experiments.update-experiment', partitions: 1, config: REQUESTS },
    deleteExperiment: { name: 'experiments.delete-experiment', partitions: 1, config: REQUESTS },
    startExperiment: { name: 'experiments.start-experiment', partitions: 1, config: REQUESTS },
    pauseExperiment: { name: 'experiments.pause-experiment', partitions: 1, config: REQUESTS },
    resumeExperiment: { name: 'experiments.resume-experiment', partitions: 1, config: REQUESTS },
    stopExperiment: { name: 'experiments.stop-experiment', partitions: 1, config: REQUESTS },
    reportResults: { name: 'experiments.report-results', partitions: 1, config: QUERIES },
    reportSeries: { name: 'experiments.report-series', partitions: 1, config: QUERIES },
    planSample: { name: 'experiments.plan-sample', partitions: 1, config: QUERIES },
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
