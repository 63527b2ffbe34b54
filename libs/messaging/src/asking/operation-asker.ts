import { randomUUID } from 'node:crypto';
import { failure, type Reply, type Result } from '@truetally/kernel';
import { type AskKind } from '../wire.js';
import { type AskRequest, type KafkaAskClient } from './kafka-ask-client.js';

/** What an asker needs to know of an operation. */
export interface AskedOperation<Message, Answer> {
  readonly address: string;
  readonly kind: AskKind;
  /** Names of the services that may ask. */
  readonly askedBy: readonly string[];
  key(message: Message, newId: () => string): string | null;
  weight?(message: Message): number;
  encode(message: Message): string;
  answerReader(message: Message): (ok: unknown) => Result<Answer, string>;
}

/** The request on whose behalf a service asks. */
export interface AskedFor extends Pick<
  AskRequest,
  'correlationId' | 'deadlineMs' | 'holder' | 'traceparent'
> {
  /** Default: a new id. */
  readonly requestId?: string;
}

/** Asks the operations that name its service as an asker, and reads their answers. */
export class OperationAsker {
  /** @param service its name in the catalogue */
  constructor(
    private readonly client: Pick<KafkaAskClient, 'ask' | 'tell'>,
    private readonly service: string,
  ) {}

  /**
   * Resolves to the answer as the operation's class reads it, or to a failure; never rejects for external ones. The
   * message is not held while the answer is awaited.
   * @throws Error for an operation that this service may not ask
   */
  ask<Message, Answer>(
    operation: AskedOperation<Message, Answer>,
    message: Message,
    askedFor: AskedFor = {},
  ): Promise<Reply<Answer>> {
    const { address } = operation;
    const read = operation.answerReader(message);
    return this.client
      .ask(this.requestOf(operation, message, askedFor))
      .then((reply) => ('error' in reply ? reply : answerOf(read(reply.ok), address)));
  }

  /** Sends a message without waiting for its reply: resolves when Kafka has it (KafkaAskClient.tell). */
  tell<Message>(
    operation: AskedOperation<Message, unknown>,
    message: Message,
    askedFor: AskedFor = {},
  ): Promise<void> {
    return this.client.tell(this.requestOf(operation, message, askedFor));
  }

  private requestOf<Message>(
    operation: AskedOperation<Message, unknown>,
    message: Message,
    { requestId = randomUUID(), ...askedFor }: AskedFor,
  ): AskRequest {
    const { address, kind, askedBy } = operation;
    if (!askedBy.includes(this.service)) {
      throw new Error(`${this.service} may not ask ${address}: its declaration does not name it in askedBy.`);
    }
    return {
      ...askedFor,
      to: address,
      // Not the request's id: a client can choose that, and would choose a partition.
      key: operation.key(message, randomUUID),
      value: operation.encode(message),
      kind,
      weight: operation.weight?.(message) ?? 1,
      requestId,
    };
  }
}

function answerOf<Answer>(answer: Result<Answer, string>, address: string): Reply<Answer> {
  if (answer.ok) return { ok: answer.value };
  return failure('INTERNAL_ERROR', `The reply of ${address} cannot be read: ${answer.error}`);
}
