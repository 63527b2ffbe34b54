import {
  IMPORT_SETTLEMENTS,
  PULL_SETTLEMENTS,
  SETTLEMENTS_IMPORT,
  SETTLEMENTS_PULL,
} from '@truetally/contracts/publisher';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { JobKinds } from './job-kinds.js';

/** Jobs in the service that stores settlements. Rows are independent, so that both can be cancelled. */
export const SETTLEMENT_JOBS: JobKinds = {
  [SETTLEMENTS_IMPORT]: {
    isCancellable: true,
    // Each locks its site: a second one would only wait for it, with a connection.
    onePerSite: true,
    plan: ({ params }) => [
      {
        place: 'elsewhere',
        name: IMPORT_SETTLEMENTS,
        operation: OPERATIONS.runSettlementStep,
        step: IMPORT_SETTLEMENTS,
        // Written only by the command that created the job.
        params: params as Readonly<Record<string, string>>,
      },
    ],
  },
  [SETTLEMENTS_PULL]: {
    isCancellable: true,
    plan: ({ params }) =>
      (params['integration_ids'] as readonly string[]).map((id) => ({
        place: 'elsewhere',
        name: `${PULL_SETTLEMENTS} ${id}`,
        operation: OPERATIONS.runSettlementStep,
        step: PULL_SETTLEMENTS,
        params: { integration_id: id },
        without: [],
      })),
  },
};
