import { Injectable } from '@nestjs/common';
import type { IntegrationResource } from '@truetally/contracts/management';
import type { ListSettlements } from '@truetally/contracts/publisher';
import { OPERATIONS } from '@truetally/contracts/topics';
import { UUID } from '@truetally/kernel';
import { Asker } from '../../ask/ask.js';
import type { Caller } from '../../credentials/caller.js';
import type { Exchange } from '../../http/exchange.js';
import { QueryReader } from '../../http/query-reader.js';
import { refuse } from '../../http/respond.js';

/** Finds the integration in a path. Without a result the request was refused and answered. */
@Injectable()
export class IntegrationReader {
  constructor(private readonly asker: Asker) {}

  async find(exchange: Exchange, caller: Caller, id: string): Promise<IntegrationResource | undefined> {
    const integrationId = id.toLowerCase();
    if (!UUID.test(integrationId)) return void refuse(exchange, 'not-found');
    return this.asker.find(exchange, OPERATIONS.readIntegration, {
      workspace_id: caller.workspaceId,
      actor: null,
      params: { id: integrationId },
      filters: {},
      limit: 1,
      cursor: null,
    });
  }

  /** The asked page of what belongs to the integration's site and network. */
  async pageOf(exchange: Exchange, id: string): Promise<ListSettlements | undefined> {
    const caller = exchange.callerWithLimit();
    const reader = new QueryReader(exchange.query);
    const page = reader.result(reader.page());
    if (!page.ok) return void refuse(exchange, 'broken-rules', page.error);
    const integration = await this.find(exchange, caller, id);
    if (integration === undefined) return undefined;
    return { site_id: integration.site_id, provider: integration.provider, ...page.value };
  }
}
