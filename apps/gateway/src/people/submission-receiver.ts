import { readSubmission, type SubmissionFields } from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Exchange } from '../http/exchange.js';
import { refuse } from '../http/respond.js';
import type { ResourceApi } from '../ask/resource.js';

/** What a visitor sends from a page (interface page, section 9). */
export class SubmissionReceiver {
  constructor(
    private readonly api: ResourceApi,
    private readonly nowMs: () => number,
  ) {}

  /**
   * The service's reply has nothing of what was sent, because replies are kept for redelivery: the answer is made
   * whole again here.
   */
  receive(exchange: Exchange): Promise<void> {
    const { siteId } = exchange.callerOfSite();
    let sent: SubmissionFields | undefined;
    return this.api.create(exchange, {
      to: OPERATIONS.createSubmission,
      prepare: (body) => {
        const read = readSubmission(body, this.nowMs());
        if (!read.ok) {
          refuse(exchange, 'broken-rules', read.error);
          return { refused: true };
        }
        sent = read.value;
        const visitor = `${siteId} ${sent.session_id}`;
        return { body: { ...sent, site_id: siteId }, fingerprinted: body, visitor };
      },
      present: (stored) => ({ ...stored, ...sent }),
    });
  }
}
