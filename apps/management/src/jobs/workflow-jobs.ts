import { REPLAY_DELIVERIES, WORKFLOWS_REPLAY } from '@truetally/contracts/outbound';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { JobKinds } from './job-kinds.js';

/** Jobs in the program that calls webhooks. Deliveries are independent, so that a replay can be cancelled. */
export const WORKFLOW_JOBS: JobKinds = {
  [WORKFLOWS_REPLAY]: {
    isCancellable: true,
    plan: ({ params }) => [
      {
        place: 'elsewhere',
        name: REPLAY_DELIVERIES,
        operation: OPERATIONS.runReplayStep,
        step: REPLAY_DELIVERIES,
        // Written only by the command that created the job.
        params: params as Readonly<Record<string, string>>,
      },
    ],
  },
};
