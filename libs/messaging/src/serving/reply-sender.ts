import { failure, type Reply } from '@truetally/kernel';
import { describeError, UndeliverableError } from '../errors.js';
import { MESSAGE_OVERHEAD_BYTES, REPLY_SENDS_IN_FLIGHT } from '../limits.js';
import { type Messaging } from '../messaging.js';
import { type Pump } from '../producing/pump.js';
import { bundledReplies, type IncomingRequest } from '../wire.js';

/** The reply to a caller when the fault is ours; the reason is in the log and in the dead letter. */
export const INTERNAL_ERROR = failure('INTERNAL_ERROR', 'The request could not be processed');

/**
 * Sends replies, all that wait in one produce request for any topics, with the facts that wait behind them. `acks=1` is
 * enough for replies: if one is lost, a retry finds its first outcome.
 */
export class ReplySender {
  private readonly pump: Pump<IncomingRequest | undefined>;

  constructor(private readonly messaging: Messaging) {
    this.pump = messaging.createPump<IncomingRequest | undefined>({
      output: 'replies',
      acks: 1,
      sendsInFlight: REPLY_SENDS_IN_FLIGHT,
      missingTopic: 'give-up',
      passengers: messaging.facts,
      bundled: bundledReplies,
      acknowledged: () => undefined,
      // A service that is sent commands alone reads no other stamp.
      stamped: (stampMs) => {
        messaging.clock.observe(stampMs);
      },
      failed: (request, error) => {
        this.lost(request, error);
      },
    });
  }

  connect(): Promise<void> {
    return this.pump.connect();
  }

  /** A request without a reply topic gets no reply. */
  send(request: IncomingRequest, reply: Reply<unknown> | string): void {
    this.push(request, typeof reply === 'string' ? reply : JSON.stringify(reply), request);
  }

  async close(timeoutMs: number): Promise<void> {
    await this.pump.close(timeoutMs);
  }

  private push(request: IncomingRequest, value: string, ticket: IncomingRequest | undefined): void {
    if (request.replyTopic === undefined) return;
    this.pump.push({
      topic: request.replyTopic,
      message: { key: request.correlationId, value },
      bytes: MESSAGE_OVERHEAD_BYTES + Buffer.byteLength(value),
      ticket,
    });
  }

  /**
   * The asker of a reply that is too large gets a small error; one whose topic is deleted no longer waits.
   */
  private lost(request: IncomingRequest | undefined, error: Error): void {
    this.messaging.onMetric('messaging_replies_undeliverable_total', 1, {});
    this.messaging.options.log.warn(
      { topic: request?.topic, error: describeError(error) },
      'reply not delivered',
    );
    if (request !== undefined && error instanceof UndeliverableError && error.cause !== undefined) {
      this.push(request, JSON.stringify(INTERNAL_ERROR), undefined);
    }
  }
}
