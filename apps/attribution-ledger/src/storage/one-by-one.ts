import type { Reply } from '@truetally/kernel';
import type { BatchLimits, BatchOutcome, IncomingRequest } from '@truetally/messaging';

/** Requests that share no transaction: as many at once as the pool can serve beside the hot topics. */
export const ONE_BY_ONE: BatchLimits = { rows: 4, transactions: 2, unstored: 256 };

/** Each message is read by its own decoder, so they come as texts and not through the parsing server. */
export function replyToEach(
  requests: readonly IncomingRequest[],
  reply: (request: IncomingRequest) => Promise<Reply<unknown>>,
): Promise<readonly BatchOutcome[]> {
  return Promise.all(requests.map(async (request) => ({ reply: await reply(request) })));
}
