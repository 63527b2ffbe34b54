import { setImmediate } from 'node:timers/promises';
import type { Operation } from '@truetally/contracts/topics';
import type { Reply } from '@truetally/kernel';
import { type KafkaAskClient, OperationAsker } from '@truetally/messaging';
import { refusalOf } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { answer, refuseAs } from '../http/respond.js';

const OK = 200;

/** Written in a turn of its own: making its text took one. */
const LARGE_CHARACTERS = 262_144;

/** Answers a read. */
export async function answerData(exchange: Exchange, data: unknown): Promise<void> {
  const text = JSON.stringify(data);
  if (text.length > LARGE_CHARACTERS) await setImmediate();
  answer(exchange, OK, text);
}

/** The request that is asked for. */
type Trace = Pick<Exchange, 'requestId' | 'traceparent'> & Partial<Pick<Exchange, 'holder'>>;

interface AskOptions {
  /** Timeout of the answer, where it differs from others'. */
  readonly answerTimeoutMs?: number;
}

/** The only road from a route to the services: every operation is asked here (docs/how-to-add.md). */
export class Asker {
  private readonly asker: OperationAsker;

  constructor(client: Pick<KafkaAskClient, 'ask' | 'tell'>) {
    this.asker = new OperationAsker(client, 'gateway');
  }

  /** The answer as the operation's class reads it: no other field of a reply can reach a client. */
  ask<Message, Answer>(
    { requestId, traceparent, holder }: Trace,
    operation: Operation<Message, Answer>,
    message: Message,
    { answerTimeoutMs }: AskOptions = {},
  ): Promise<Reply<Answer>> {
    const deadline = answerTimeoutMs === undefined ? {} : { deadlineMs: answerTimeoutMs };
    return this.asker.ask(operation, message, {
      ...deadline,
      ...(holder !== undefined && { holder }),
      requestId,
      traceparent,
    });
  }

  /** Asks, and answers the client with what the service answers. */
  async answer<Message, Answer>(
    exchange: Exchange,
    operation: Operation<Message, Answer>,
    message: Message,
  ): Promise<void> {
    const data = await this.find(exchange, operation, message);
    if (data !== undefined) await answerData(exchange, data);
  }

  /** @returns undefined when the service refused, and the client was told so */
  async find<Message, Answer>(
    exchange: Exchange,
    operation: Operation<Message, Answer>,
    message: Message,
  ): Promise<Answer | undefined> {
    const reply = await this.ask(exchange, operation, message);
    if ('ok' in reply) return reply.ok;
    refuseAs(exchange, refusalOf(reply.error), reply.error.details);
    return undefined;
  }

  /** Sends a message whose reply nobody waits for; resolves when Kafka has it. */
  tell<Message>(
    operation: Operation<Message, unknown>,
    message: Message,
    { requestId, traceparent }: Partial<Trace> = {},
  ): Promise<void> {
    return this.asker.tell(operation, message, {
      ...(requestId !== undefined && { requestId }),
      ...(traceparent !== undefined && { traceparent }),
    });
  }
}
