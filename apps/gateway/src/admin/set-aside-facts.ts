import {
  isSetAsideId,
  type ListSetAsideFacts,
  type SetAsideAction,
  type SetAsideFactResource,
} from '@truetally/contracts/operations';
import { SERVICES, setAsideOperationsOf } from '@truetally/contracts/services';
import { isJsonObject } from '@truetally/contracts/validation';
import { type Failure, failure, type Reply } from '@truetally/kernel';
import type { AskRequest, KafkaAskClient } from '@truetally/messaging';
import { refusalOf } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { oneOfFilter, PAGE_PARAMETERS } from '../http/page-query.js';
import { QueryReader } from '../http/query-reader.js';
import { answer, refuse, refuseAs } from '../http/respond.js';

const OUTBOXES = SERVICES.flatMap((entry) => {
  const operations = setAsideOperationsOf(entry);
  return operations === undefined ? [] : [{ service: entry.name, operations }];
});

const isService = oneOfFilter(OUTBOXES.map(({ service }) => service));

export const SET_ASIDE_QUERY = { ...PAGE_PARAMETERS, service: isService };

/** The position of a page: the service, and the id in its outbox. */
const CURSOR = /^([a-z-]{1,50}):(\d{1,18})$/;

/** Lists the facts that Kafka refused: service by service, each oldest first. */
export class SetAsideFacts {
  constructor(private readonly asker: Pick<KafkaAskClient, 'ask'>) {}

  async list(exchange: Exchange): Promise<void> {
    const reader = new QueryReader(exchange.query);
    const { limit, cursor } = reader.page();
    const service = reader.optional('service', isService);
    const query = reader.result({ limit, service });
    if (!query.ok) return refuse(exchange, 'broken-rules', query.error);
    const from = placeOf(cursor);
    if (from === undefined) {
      return refuse(exchange, 'broken-rules', { cursor: ['must be the next_cursor of a page'] });
    }
    const items: SetAsideFactResource[] = [];
    for (const { name, after } of askedFrom(from, service)) {
      const facts = await this.ask(exchange, name, { after, limit: limit + 1 - items.length });
      if ('error' in facts) return refuseFailure(exchange, facts.error);
      items.push(...facts.ok);
      if (items.length > limit) break;
    }
    const page = items.slice(0, limit);
    const last = items.length > limit ? page.at(-1) : undefined;
    const next_cursor = last === undefined ? null : `${last.service}:${last.id}`;
    answer(exchange, OK, JSON.stringify({ items: page, next_cursor }));
  }

  async handle(
    exchange: Exchange,
    { service, id }: Readonly<Record<string, string>>,
    action: SetAsideAction,
  ): Promise<void> {
    const outbox = OUTBOXES.find((one) => one.service === service);
    if (outbox === undefined || !isSetAsideId(id)) return refuse(exchange, 'not-found');
    const reply = await this.asker.ask({
      ...asking(exchange),
      to: outbox.operations.handle,
      key: id,
      value: JSON.stringify({ id, action }),
    });
    if ('error' in reply) return refuseFailure(exchange, reply.error);
    answer(exchange, OK, JSON.stringify(reply.ok));
  }

  private async ask(
    exchange: Exchange,
    to: string,
    asked: ListSetAsideFacts,
  ): Promise<Reply<readonly SetAsideFactResource[]>> {
    const value = JSON.stringify(asked);
    const reply = await this.asker.ask({
      ...asking(exchange),
      to,
      key: exchange.requestId,
      value,
      kind: 'query',
    });
    if ('error' in reply) return reply;
    const { items } = isJsonObject(reply.ok) ? reply.ok : {};
    if (!Array.isArray(items)) return failure('INTERNAL_ERROR', `The reply of ${to} cannot be read.`);
    return { ok: items as readonly SetAsideFactResource[] };
  }
}

const OK = 200;

/** A page that starts within a service continues with the services after it. */
function askedFrom(
  from: Place,
  only: string | undefined,
): readonly { readonly name: string; readonly after: string }[] {
  const first = Math.max(
    0,
    OUTBOXES.findIndex(({ service }) => service === from.service),
  );
  return OUTBOXES.slice(first)
    .filter(({ service }) => only === undefined || service === only)
    .map(({ service, operations }) => ({
      name: operations.list,
      after: service === from.service ? from.after : '0',
    }));
}

interface Place {
  /** Undefined for the first page. */
  readonly service: string | undefined;
  readonly after: string;
}

function placeOf(cursor: string | null): Place | undefined {
  if (cursor === null) return { service: undefined, after: '0' };
  const [, service = '', after = ''] = CURSOR.exec(cursor) ?? [];
  return isService(service) === undefined ? { service, after } : undefined;
}

function asking({ requestId }: Exchange): Pick<AskRequest, 'requestId'> {
  return { requestId };
}

function refuseFailure(exchange: Exchange, cause: Failure): void {
  refuseAs(exchange, refusalOf(cause), cause.details);
}
