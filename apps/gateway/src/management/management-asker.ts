import {
  type CommandAnswer,
  isJsonObject,
  type ManagementCommand,
  type ManagementQuery,
} from '@truetally/contracts';
import { fail, type Failure, failure, type Result, succeed } from '@truetally/kernel';
import type { AskRequest, KafkaAskClient } from '@truetally/messaging';
import type { Exchange } from '../http/exchange.js';
import { traceparentFrom } from '../http/traceparent.js';

/** A resource, or a page of them, as the client reads it under `data`. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Asks the management service, and reads what it answers. */
export class ManagementAsker {
  constructor(private readonly asker: Pick<KafkaAskClient, 'ask'>) {}

  /** Changes of one resource are carried out one after the other; all others do not wait for them. */
  async command(
    exchange: Exchange,
    { topic, answerTimeoutMs }: { readonly topic: string; readonly answerTimeoutMs?: number },
    command: ManagementCommand,
  ): Promise<Result<CommandAnswer<JsonObject>, Failure>> {
    const ids = Object.values(command.params);
    const key = ids.length === 0 ? exchange.requestId : ids.join(':');
    const question = { topic, key, value: JSON.stringify(command) };
    const deadline = answerTimeoutMs === undefined ? {} : { deadlineMs: answerTimeoutMs };
    const reply = await this.ask(exchange, { ...question, ...deadline });
    if (!reply.ok) return reply;
    const { data, replayed } = reply.value;
    if (!isJsonObject(data) || typeof replayed !== 'boolean') return unreadable(topic);
    return succeed({ data, replayed });
  }

  /** Queries wait for nobody, so that each has a key of its own. */
  query(exchange: Exchange, topic: string, query: ManagementQuery): Promise<Result<JsonObject, Failure>> {
    const value = JSON.stringify(query);
    return this.ask(exchange, { topic, key: exchange.requestId, value, kind: 'query' });
  }

  private async ask(
    { requestId, request }: Exchange,
    question: Pick<AskRequest, 'deadlineMs' | 'key' | 'kind' | 'topic' | 'value'>,
  ): Promise<Result<JsonObject, Failure>> {
    const traceparent = traceparentFrom(request.headers.traceparent);
    const reply = await this.asker.ask({ ...question, requestId, traceparent });
    if ('error' in reply) return fail(reply.error);
    return isJsonObject(reply.ok) ? succeed(reply.ok) : unreadable(question.topic);
  }
}

function unreadable(topic: string): { readonly ok: false; readonly error: Failure } {
  return fail(failure('INTERNAL_ERROR', `The reply of ${topic} cannot be read.`).error);
}
