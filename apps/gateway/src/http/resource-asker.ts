import type { CommandAnswer, ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import { isJsonObject } from '@truetally/contracts/validation';
import { fail, type Failure, failure, type Result, succeed } from '@truetally/kernel';
import type { AskRequest, KafkaAskClient } from '@truetally/messaging';
import type { Exchange } from './exchange.js';

/** A resource, or a page of them, as the client reads it under `data`. */
export type JsonObject = Readonly<Record<string, unknown>>;

const NOTHING: JsonObject = {};

/** Asks the management service, and reads its answers. */
export class ResourceAsker {
  constructor(private readonly asker: Pick<KafkaAskClient, 'ask' | 'askForBytes'>) {}

  /** Changes of one resource are executed in sequence; others do not wait for them. */
  async command(
    exchange: Exchange,
    { to, answerTimeoutMs }: { readonly to: string; readonly answerTimeoutMs?: number },
    command: ResourceCommand,
  ): Promise<Result<CommandAnswer<JsonObject>, Failure>> {
    const ids = Object.values(command.params);
    const key = ids.length === 0 ? exchange.requestId : ids.join(':');
    const question = { to, key, value: JSON.stringify(command) };
    const deadline = answerTimeoutMs === undefined ? {} : { deadlineMs: answerTimeoutMs };
    const reply = await this.asker.ask({ ...question, ...deadline, ...traceOf(exchange) });
    if ('error' in reply) return fail(reply.error);
    const { data, replayed } = isJsonObject(reply.ok) ? reply.ok : NOTHING;
    if (!isJsonObject(data) || typeof replayed !== 'boolean') return unreadable(to);
    return succeed({ data, replayed });
  }

  /**
   * Queries need no order, so that each has its own key.
   * @returns the resource or the page as JSON in UTF-8, with every digit as the service wrote it
   */
  async query(exchange: Exchange, to: string, query: ResourceQuery): Promise<Result<Buffer, Failure>> {
    const question = { to, key: exchange.requestId, value: JSON.stringify(query), kind: 'query' } as const;
    const reply = await this.asker.askForBytes({ ...question, ...traceOf(exchange) });
    return 'error' in reply ? fail(reply.error) : succeed(reply.ok);
  }
}

function traceOf({ requestId, traceparent }: Exchange): Pick<AskRequest, 'requestId' | 'traceparent'> {
  return { requestId, traceparent };
}

function unreadable(address: string): { readonly ok: false; readonly error: Failure } {
  return fail(failure('INTERNAL_ERROR', `The reply of ${address} cannot be read.`).error);
}
