import { JobStep, JobStepReport } from '../jobs/job-step.js';
import {
  askedBy,
  one,
  ownTopic,
  query,
  resourceCommand,
  resourceList,
  resourceQuery,
} from '../services/operation.js';
import type { ServiceEntry } from '../services/service-entry.js';
import { AskEventDeliveries, DeliveryResource, EventDeliveries, MatchedDeliveries } from './delivery.js';

/**
 * Calls addresses that merchants give: deliveries of webhooks, product feeds. A second program of management's image, with a
 * role and a schema of its own, so that a slow or hostile server never touches the process that holds accounts.
 */
export const OUTBOUND = {
  name: 'outbound',
  role: 'behind',
  imageOf: 'management',
  operations: {
    ...askedBy(['gateway'], {
      replayDelivery: resourceCommand(DeliveryResource),
      testWorkflow: resourceCommand(DeliveryResource),
      listDeliveries: resourceList(DeliveryResource),
      readDelivery: resourceQuery(DeliveryResource),
      planReplay: resourceQuery(MatchedDeliveries),
      listEventDeliveries: query({ asks: AskEventDeliveries, answers: one(EventDeliveries) }),
    }),
    ...askedBy(['management'], {
      runReplayStep: ownTopic(
        3,
        query({ asks: JobStep, answers: one(JobStepReport, 'complete'), key: ({ job_id }) => job_id }),
      ),
      // Its pieces wait for a stranger's server: no step of a replay waits behind them.
      runFeedStep: ownTopic(
        3,
        query({ asks: JobStep, answers: one(JobStepReport, 'complete'), key: ({ job_id }) => job_id }),
      ),
    }),
  },
  facts: {},
  follows: ['eventsStored', 'conversionsRecorded'],
  holds: ['workflows', 'sitesErased'],
  isAskedToEraseSites: true,
  knowsPeopleBy: 'subjects',
  hasOutbox: true,
  localOperationsPort: 4187,
} as const satisfies ServiceEntry;
