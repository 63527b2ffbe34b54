import { fail, type Failure, type Result, succeed } from '@truetally/kernel';
import type { KafkaAskClient } from '@truetally/messaging';
import type { Exchange } from '../http/exchange.js';

/** Asks the service that stores clicks and settlements. */
export class PublisherAsker {
  constructor(private readonly asker: Pick<KafkaAskClient, 'askForBytes'>) {}

  /** @returns `data` as JSON in UTF-8, as the service wrote it */
  async ask(
    { requestId, traceparent }: Exchange,
    topic: string,
    question: object,
  ): Promise<Result<Buffer, Failure>> {
    const reply = await this.asker.askForBytes({
      to: topic,
      // Queries need no order: each has its own key.
      key: requestId,
      value: JSON.stringify(question),
      kind: 'query',
      requestId,
      traceparent,
    });
    return 'error' in reply ? fail(reply.error) : succeed(reply.ok);
  }
}
