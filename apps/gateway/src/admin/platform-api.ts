import type { PlatformCaller } from '../credentials/caller.js';
import { workspaceOfPath } from '../admission/workspace-of-path.js';
import type { Exchange } from '../http/exchange.js';
import type { BodyRules } from '../http/read-body.js';
import { readJsonBody } from '../http/read-json-body.js';
import { refuse } from '../http/respond.js';
import { ResourceApi, type ResourceEntrance } from '../http/resource-api.js';
import type { ResourceAsker } from '../http/resource-asker.js';

/** The way of management requests that the platform itself makes: of no member, and against no hourly limit. */
export class PlatformApi extends ResourceApi {
  constructor(asker: ResourceAsker, bodyRules: BodyRules) {
    super(new PlatformEntrance(bodyRules), asker);
  }
}

/** The edge has let in only whoever has the admin secret, and no query that the route does not know. */
class PlatformEntrance implements ResourceEntrance {
  constructor(private readonly bodyRules: BodyRules) {}

  receiveQuery(exchange: Exchange): Promise<PlatformCaller> {
    return Promise.resolve(callerOf(exchange));
  }

  async receiveFromAnyone(
    exchange: Exchange,
  ): Promise<{ readonly caller: PlatformCaller; readonly body: unknown } | undefined> {
    const read = await readJsonBody(exchange, this.bodyRules, false);
    if ('body' in read) return { caller: callerOf(exchange), body: read.body };
    refuse(exchange, read.fault.name, read.fault.details);
    return undefined;
  }
}

function callerOf(exchange: Exchange): PlatformCaller {
  return { kind: 'platform', workspaceId: workspaceOfPath(exchange) };
}
