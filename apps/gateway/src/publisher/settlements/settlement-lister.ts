import type { ListSettlements, ListSettlementStates } from '@truetally/contracts/publisher';
import { OPERATIONS } from '@truetally/contracts/topics';
import { UUID } from '@truetally/kernel';
import { refusalOf } from '../../http/errors.js';
import type { Exchange } from '../../http/exchange.js';
import { QueryReader } from '../../http/query-reader.js';
import { answer, refuse, refuseAs } from '../../http/respond.js';
import type { PublisherAsker } from '../publisher-asker.js';
import type { IntegrationReader } from './integration-reader.js';

/** `GET /integrations/{id}/settlements`: settlements of the integration's site and network, with their history. */
export class SettlementLister {
  constructor(
    private readonly integrations: IntegrationReader,
    private readonly asker: PublisherAsker,
  ) {}

  async list(exchange: Exchange, id: string): Promise<void> {
    const asked = await this.read(exchange, id);
    if (asked === undefined) return;
    return this.answer(exchange, OPERATIONS.listSettlements, asked satisfies ListSettlements);
  }

  /** `GET /integrations/{id}/settlements/{settlement_id}/history`: every state, newest first. */
  async listStates(exchange: Exchange, id: string, settlementId: string): Promise<void> {
    const asked = await this.read(exchange, id);
    if (asked === undefined) return;
    const settlement_id = settlementId.toLowerCase();
    if (!UUID.test(settlement_id)) return refuse(exchange, 'not-found');
    const question: ListSettlementStates = { ...asked, settlement_id };
    return this.answer(exchange, OPERATIONS.listSettlementStates, question);
  }

  /** @returns undefined when the request was refused and answered */
  private async read(exchange: Exchange, id: string): Promise<ListSettlements | undefined> {
    const caller = exchange.callerWithLimit();
    const reader = new QueryReader(exchange.query);
    const page = reader.result(reader.page());
    if (!page.ok) {
      refuse(exchange, 'broken-rules', page.error);
      return undefined;
    }
    const integration = await this.integrations.find(exchange, caller, id);
    if (integration === undefined) return undefined;
    return { site_id: integration.site_id, provider: integration.provider, ...page.value };
  }

  private async answer(exchange: Exchange, operation: string, question: object): Promise<void> {
    const found = await this.asker.ask(exchange, operation, question);
    if (!found.ok) return refuseAs(exchange, refusalOf(found.error), found.error.details);
    answer(exchange, 200, found.value);
  }
}
