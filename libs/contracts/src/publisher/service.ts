import { succeed } from '@truetally/kernel';
import { JobStep, JobStepReport } from '../jobs/job-step.js';
import { askedBy, hotCommand, one, ownTopic, pageOf, query } from '../services/operation.js';
import type { ServiceEntry } from '../services/service-entry.js';
import { ATTRIBUTION_DAYS, keptFor } from '../services/topic-spec.js';
import type { RecordReferences } from './click-reference.js';
import { FindClick, FoundClick, ListSettlements, ListSettlementStates } from './queries.js';
import { PublisherReport, ReadReport } from './report.js';
import { SettlementResource, SettlementState } from './settlement.js';

/** Clicks that leave a publisher's site, settlements of the networks, and the report of both. */
export const PUBLISHER_ANALYTICS = {
  name: 'publisher-analytics',
  role: 'behind',
  operations: {
    ...askedBy(['gateway'], {
      listSettlements: query({ asks: ListSettlements, answers: pageOf(SettlementResource) }),
      listSettlementStates: query({ asks: ListSettlementStates, answers: pageOf(SettlementState) }),
      readPublisherReport: query({ asks: ReadReport, answers: one(PublisherReport) }),
      findClick: query({ asks: FindClick, answers: one(FoundClick) }),
      // As many partitions as events, so that clicks and their references progress alike. Nobody waits for its reply.
      recordReferences: ownTopic(
        6,
        hotCommand<RecordReferences, null>({
          key: () => null,
          encode: JSON.stringify,
          answerReader: () => () => succeed(null),
        }),
      ),
    }),
    ...askedBy(['management'], {
      runSettlementStep: ownTopic(
        3,
        query({ asks: JobStep, answers: one(JobStepReport, 'complete'), key: ({ job_id }) => job_id }),
      ),
    }),
  },
  facts: {
    settlementsChanged: { name: 'settlements.changed.v1', partitions: 3, config: keptFor(ATTRIBUTION_DAYS) },
  },
  follows: ['clicksStored'],
  holds: ['sites', 'sitesErased'],
  isAskedToEraseSites: true,
  knowsPeopleBy: 'subjects',
  hasOutbox: true,
  localOperationsPort: 4186,
} as const satisfies ServiceEntry;
