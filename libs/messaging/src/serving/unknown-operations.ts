import { failure, formatAddress } from '@truetally/kernel';
import { type GivenUp } from '../dead-letters.js';
import { pause } from '../delay.js';
import { describeError, MessagingClosedError, UndeliverableError, UnreadableError } from '../errors.js';
import { UNKNOWN_IN_HAND, UNKNOWN_KEPT_MS, UNKNOWN_RETRY_MS } from '../limits.js';
import { type Messaging } from '../messaging.js';
import { HEADER, type IncomingRequest, text } from '../wire.js';
import { type ReplySender } from './reply-sender.js';

type Place = Pick<GivenUp, 'group' | 'message' | 'partition' | 'topic'>;

/**
 * Requests for operations that this release of a service does not know: during a rollout another one does. A
 * command is written to the end of its topic again, at intervals, until a process that knows its operation
 * receives it; its asker times out meanwhile or gets that process's reply. One that cannot be written again,
 * because it fills its topic's limit, is dead-lettered. A query is refused at once.
 */
export class UnknownOperations {
  private kept = 0;
  private readonly closing = new AbortController();

  constructor(
    private readonly messaging: Messaging,
    private readonly replies: Pick<ReplySender, 'send'>,
  ) {}

  /** Resolves when this delivery is finished; rejects when it must be delivered again. */
  async handle(request: IncomingRequest, place: Place): Promise<void> {
    const { kind, operation, replyTopic } = request;
    const address = formatAddress(request);
    if (operation === undefined) return this.giveUp(place, 'no operation');
    this.messaging.onMetric('messaging_unknown_operations_total', 1, { topic: address });
    const sinceMs = sinceOf(place) ?? Date.now();
    const isFull = this.kept >= UNKNOWN_IN_HAND;
    if (kind === 'query' || (isFull && replyTopic !== undefined)) {
      this.replies.send(request, failure('UNAVAILABLE', `${address} is not known here yet`));
      return;
    }
    if (isFull || Date.now() - sinceMs > UNKNOWN_KEPT_MS)
      return this.giveUp(place, `${address} is not known`);
    this.kept++;
    try {
      await pause(UNKNOWN_RETRY_MS, this.closing.signal);
      // The next owner of the partition gets it at once.
      if (this.closing.signal.aborted)
        throw new MessagingClosedError('Closed before the operation was known');
      await this.messaging.putBack(place, { [HEADER.unknownSince]: String(sinceMs) });
    } catch (error) {
      if (!(error instanceof UndeliverableError)) throw error;
      // With the header it exceeds the limit of its topic.
      await this.giveUp(place, `${address} is not known, and cannot wait: ${describeError(error)}`);
    } finally {
      this.kept--;
    }
  }

  private giveUp(place: Place, reason: string): Promise<void> {
    return this.messaging.giveUp({ ...place, attempts: 0, reason: new UnreadableError(reason) });
  }

  close(): void {
    this.closing.abort();
  }
}

function sinceOf({ message }: Place): number | undefined {
  const since = Number(text(message.headers?.[HEADER.unknownSince]));
  return Number.isSafeInteger(since) ? since : undefined;
}
