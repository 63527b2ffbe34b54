import { type ListSettlements } from '@truetally/contracts/publisher';
import { OPERATIONS } from '@truetally/contracts/topics';
import { refusalOf } from '../../http/errors.js';
import type { Exchange } from '../../http/exchange.js';
import { QueryReader } from '../../http/query-reader.js';
import { answer, refuse, refuseAs } from '../../http/respond.js';
import type { PublisherAsker } from '../publisher-asker.js';
import type { IntegrationReader } from './integration-reader.js';

/**
 * `GET /integrations/{id}/settlements`: settlements of the integration's site and network, with their
 * history.
 */
export class SettlementLister {
  constructor(
    private readonly integrations: IntegrationReader,
    private readonly asker: PublisherAsker,
  ) {}

  async list(exchange: Exchange, id: string): Promise<void> {
    const caller = exchange.callerWithLimit();
    const reader = new QueryReader(exchange.query);
    const page = reader.result(reader.page());
    if (!page.ok) return refuse(exchange, 'broken-rules', page.error);
    const integration = await this.integrations.find(exchange, caller, id);
    if (integration === undefined) return;
    const { site_id, provider } = integration;
    const question: ListSettlements = { site_id, provider, ...page.value };
    const found = await this.asker.ask(exchange, OPERATIONS.listSettlements, question);
    if (!found.ok) return refuseAs(exchange, refusalOf(found.error), found.error.details);
    answer(exchange, 200, found.value);
  }
}
