import { Injectable } from '@nestjs/common';
import {
  isSetAsideId,
  type SetAsideAction,
  type SetAsideFactResource,
} from '@truetally/contracts/operations';
import { type SetAsideOperations, SERVICES, setAsideOperationsOf } from '@truetally/contracts/services';
import { Asker } from '../ask/ask.js';
import type { Exchange } from '../http/exchange.js';
import { oneOfFilter, PAGE_PARAMETERS } from '../http/page-query.js';
import { QueryReader } from '../http/query-reader.js';
import { answer, refuse } from '../http/respond.js';

const OUTBOXES = SERVICES.filter(({ hasOutbox }) => hasOutbox).map((entry) => ({
  service: entry.name,
  operations: setAsideOperationsOf(entry),
}));

const isService = oneOfFilter(OUTBOXES.map(({ service }) => service));

export const SET_ASIDE_QUERY = { ...PAGE_PARAMETERS, service: isService };

/** The position of a page: the service, and the id in its outbox. */
const CURSOR = /^([a-z-]{1,50}):(\d{1,18})$/;

/** Lists the facts that Kafka refused: service by service, each oldest first. */
@Injectable()
export class SetAsideFacts {
  constructor(private readonly asker: Asker) {}

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
    for (const { operation, after } of askedFrom(from, service)) {
      const facts = await this.asker.find(exchange, operation, { after, limit: limit + 1 - items.length });
      if (facts === undefined) return;
      items.push(...facts.items);
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
    await this.asker.answer(exchange, outbox.operations.handleSetAsideFact, { id, action });
  }
}

const OK = 200;

/** A page that starts within a service continues with the services after it. */
function askedFrom(
  from: Place,
  only: string | undefined,
): readonly { readonly operation: SetAsideOperations['listSetAsideFacts']; readonly after: string }[] {
  const first = Math.max(
    0,
    OUTBOXES.findIndex(({ service }) => service === from.service),
  );
  return OUTBOXES.slice(first)
    .filter(({ service }) => only === undefined || service === only)
    .map(({ service, operations }) => ({
      operation: operations.listSetAsideFacts,
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
