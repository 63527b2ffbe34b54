import { ALL_TOPICS } from '@truetally/contracts/services';
import type { ProcessContext, ProcessParts } from '@truetally/service';
import type { GatewayConfig } from './config.js';
import { Closing } from './core/closing.js';
import { GatewayFoundation } from './core/gateway-foundation.js';
import { openPublicHttp, type PublicHttp } from './public-http.js';

/** Builds the gateway from its parts: the public port opens when everything behind it is ready, and closes first. */
export function buildGateway(config: GatewayConfig, context: ProcessContext): ProcessParts {
  const closing = new Closing();
  let http: PublicHttp | undefined;
  return {
    topics: ALL_TOPICS,
    start: async () => {
      http = await openPublicHttp(new GatewayFoundation({ ...context, config, closing }));
      context.log.info({ http_port: http.port, operations_port: context.operations.port }, 'Listening.');
    },
    drain: async () => {
      await http?.close();
      await closing.close();
    },
  };
}
