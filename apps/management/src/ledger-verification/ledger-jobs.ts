import { LEDGER_VERIFY, VERIFY_CHAIN } from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { JobKinds } from '../jobs/job-kinds.js';

/** Jobs in the ledger. A verification changes nothing, so that it can be cancelled. */
export const LEDGER_JOBS: JobKinds = {
  [LEDGER_VERIFY]: {
    isCancellable: true,
    plan: ({ params }) => [
      {
        place: 'elsewhere',
        name: VERIFY_CHAIN,
        operation: OPERATIONS.runVerificationStep,
        step: VERIFY_CHAIN,
        // Written only by the command that created the job.
        params: params as Readonly<Record<string, string>>,
      },
    ],
  },
};
