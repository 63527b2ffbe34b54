import { DeletedResource } from '../resource/resource.js';
import {
  askedBy,
  hotCommand,
  hotQuery,
  one,
  ownTopic,
  query,
  resourceCommand,
  resourceList,
  resourceQuery,
} from '../services/operation.js';
import type { ServiceEntry } from '../services/service-entry.js';
import { ATTRIBUTION_DAYS, COMPACTED, keptFor } from '../services/topic-spec.js';
import { type Assigned, type AssignSession, ASSIGNED } from './assign-session.js';
import { RequiredSample } from './estimates.js';
import { ExperimentResource } from './experiment.js';
import { PlanSample } from './plan-sample.js';
import { type ReadWithheld, WITHHELD, type Withheld } from './read-withheld.js';
import { MeasuredExperiment, ResultsSeries } from './results.js';

/** Assigns sessions to the arms of partner experiments, and measures the outcome. */
export const EXPERIMENTS = {
  name: 'experiments',
  role: 'behind',
  operations: askedBy(['gateway'], {
    createExperiment: resourceCommand(ExperimentResource),
    updateExperiment: resourceCommand(ExperimentResource),
    deleteExperiment: resourceCommand(DeletedResource),
    startExperiment: resourceCommand(ExperimentResource),
    pauseExperiment: resourceCommand(ExperimentResource),
    resumeExperiment: resourceCommand(ExperimentResource),
    stopExperiment: resourceCommand(ExperimentResource),
    setExclusions: resourceCommand(ExperimentResource),
    listExperiments: resourceList(ExperimentResource),
    readExperiment: resourceQuery(ExperimentResource),
    reportResults: resourceQuery(MeasuredExperiment),
    reportSeries: resourceQuery(ResultsSeries),
    planSample: query({ asks: PlanSample, answers: one(RequiredSample) }),
    assignSession: ownTopic(
      3,
      hotCommand<AssignSession, Assigned>({
        key: ({ site_id, session_id }) => `${site_id}:${session_id}`,
        encode: JSON.stringify,
        answerReader: () => ASSIGNED.read,
      }),
    ),
    readWithheld: ownTopic(
      3,
      hotQuery<ReadWithheld, Withheld>({
        key: ({ site_id, session_id }) => `${site_id}:${session_id}`,
        encode: JSON.stringify,
        answerReader: () => WITHHELD.read,
      }),
    ),
  }),
  facts: {
    experiments: { name: 'experiments.v1', partitions: 1, config: COMPACTED },
    sessionsAssigned: { name: 'sessions.assigned.v1', partitions: 3, config: keptFor(ATTRIBUTION_DAYS) },
  },
  follows: ['sites', 'campaigns', 'touchesRecorded', 'conversionsRecorded', 'sessionsAssigned'],
  holds: ['experiments', 'sitesErased'],
  isAskedToEraseSites: true,
  knowsPeopleBy: 'subjects',
  hasOutbox: true,
  localOperationsPort: 4185,
} as const satisfies ServiceEntry;
