import { OPERATIONS } from '@truetally/contracts/topics';
import { parseInstant } from '@truetally/kernel';
import type { KafkaAskClient } from '@truetally/messaging';
import { refusalOf } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { idFilter, PAGE_PARAMETERS } from '../http/page-query.js';
import { parameter } from '../http/query-reader.js';
import { answer, refuseAs } from '../http/respond.js';

const instant = parameter({ type: 'string', format: 'date-time' }, (value) =>
  parseInstant(value) === undefined ? 'must be an ISO 8601 time with an offset' : undefined,
);

export const RECONCILIATION_QUERY = { site_id: idFilter, from: instant, to: instant, ...PAGE_PARAMETERS };

const WHOLE_NUMBER = /^\d{1,9}$/;

/**
 * Asks ingestion to compare its counters with its table (interface page, sections 4 and 11). Ingestion
 * validates the query.
 */
export class ReconciliationReader {
  constructor(private readonly asker: Pick<KafkaAskClient, 'ask'>) {}

  async read(exchange: Exchange): Promise<void> {
    const query = Object.fromEntries(exchange.query ?? []);
    const { limit } = query;
    const reply = await this.asker.ask({
      to: OPERATIONS.reconcileEvents,
      key: exchange.requestId,
      value: JSON.stringify({
        ...query,
        ...(limit !== undefined && WHOLE_NUMBER.test(limit) ? { limit: Number(limit) } : {}),
      }),
      kind: 'query',
      requestId: exchange.requestId,
    });
    if ('error' in reply) return refuseAs(exchange, refusalOf(reply.error), reply.error.details);
    answer(exchange, 200, JSON.stringify(reply.ok));
  }
}
