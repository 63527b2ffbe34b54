import { MAX_REPLAYED_DELIVERIES } from '@truetally/contracts/outbound';
import { failure } from '@truetally/kernel';

/** Every refusal of this program, with its message. */
export const refusals = {
  noWorkflow: () => failure('NOT_FOUND', 'There is no such workflow.'),
  noDelivery: () => failure('NOT_FOUND', 'There is no such delivery.'),
  notKnownYet: () => failure('UNAVAILABLE', 'The workflow is not known here yet; it is in a moment.'),
  workflowDisabled: () =>
    failure('CONFLICT', 'The workflow is disabled.', { enabled: ['is false: enable the workflow first'] }),
  underWay: () =>
    failure('CONFLICT', 'An attempt of this delivery is under way.', {
      status: ['is pending, and an attempt is under way'],
    }),
  tooManyMatched: (matched: number) =>
    failure('CONFLICT', 'The range has more deliveries than one replay may send.', {
      matched: [`is ${matched}: at most ${MAX_REPLAYED_DELIVERIES} may be replayed at once`],
    }),
} as const;
