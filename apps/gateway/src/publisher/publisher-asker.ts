import { fail, type Failure, type Result, succeed } from '@truetally/kernel';
import type { KafkaAskClient } from '@truetally/messaging';
import type { Exchange } from '../http/exchange.js';
import { traceparentFrom } from '../http/traceparent.js';

/** Asks the service that keeps clicks and settlements. */
export class PublisherAsker {
  constructor(private readonly asker: Pick<KafkaAskClient, 'askForBytes'>) {}

  /** @returns `data` as JSON in UTF-8, as the service wrote it */
  async ask(
    { requestId, request }: Exchange,
    topic: string,
    question: object,
  ): Promise<Result<Buffer, Failure>> {
    const reply = await this.asker.askForBytes({
      topic,
      // Questions wait for nobody: each has a key of its own.
      key: requestId,
      value: JSON.stringify(question),
      kind: 'query',
      requestId,
      traceparent: traceparentFrom(request.headers.traceparent),
    });
    return 'error' in reply ? fail(reply.error) : succeed(reply.ok);
  }
}
