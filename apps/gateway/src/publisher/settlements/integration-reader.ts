import { type IntegrationResource } from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import { parseOwnJson, UUID } from '@truetally/kernel';
import type { Caller } from '../../credentials/caller.js';
import { refusalOf } from '../../http/errors.js';
import type { Exchange } from '../../http/exchange.js';
import type { ResourceAsker } from '../../http/resource-asker.js';
import { refuse, refuseAs } from '../../http/respond.js';

/** Finds the integration in a path. */
export class IntegrationReader {
  constructor(private readonly asker: ResourceAsker) {}

  /** @returns undefined when the request was refused and answered */
  async find(
    exchange: Exchange,
    caller: Caller,
    id: string,
  ): Promise<Pick<IntegrationResource, 'provider' | 'site_id'> | undefined> {
    const integrationId = id.toLowerCase();
    if (!UUID.test(integrationId)) {
      refuse(exchange, 'not-found');
      return undefined;
    }
    const found = await this.asker.query(exchange, OPERATIONS.readIntegration, {
      workspace_id: caller.workspaceId,
      actor: null,
      params: { id: integrationId },
      filters: {},
      limit: 1,
      cursor: null,
    });
    if (found.ok) return parseOwnJson(found.value.toString()) as IntegrationResource;
    refuseAs(exchange, refusalOf(found.error), found.error.details);
    return undefined;
  }
}
