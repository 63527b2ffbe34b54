import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type DynamicModule, type INestApplication, Module, type Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { CoreModule } from './core/core.module.js';
import type { GatewayFoundation } from './core/gateway-foundation.js';
import * as features from './features.js';
import { createExpress, EdgeAdapter } from './http/edge-adapter.js';
import { FailureFilter } from './http/failure-filter.js';
import { type Route, RouteCatalogue, routesOf, routesOfControllers } from './http/route-catalogue.js';

export interface Application {
  readonly routes: RouteCatalogue;
  readonly parts: Pick<INestApplication, 'get'>;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  close(): Promise<void>;
}

export const FEATURES: readonly Type[] = Object.values(features);

/** Every route of every feature, without a running gateway. */
export function declaredRoutes(): readonly Route[] {
  return routesOfControllers(
    FEATURES.flatMap((feature) => Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, feature) as Type[]),
  );
}

@Module({})
class GatewayModule {
  static over(core: DynamicModule): DynamicModule {
    return { module: GatewayModule, imports: [core, ...FEATURES] };
  }
}

/**
 * The core and the features behind Express, without Nest's per-request layers, and the list of their routes.
 */
export async function createApplication(server: Server, foundation: GatewayFoundation): Promise<Application> {
  const app = createExpress();
  const module = GatewayModule.over(CoreModule.over(foundation));
  const nest = await NestFactory.create(module, new EdgeAdapter(app, server), {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  });
  nest.useGlobalFilters(new FailureFilter(foundation.log));
  await nest.init();
  return {
    routes: new RouteCatalogue(routesOf(nest.get(ModulesContainer))),
    parts: nest,
    handle: (request, response) => {
      // Express' types want its own request; it turns ours into one by setting the prototype.
      app(request as Parameters<typeof app>[0], response as Parameters<typeof app>[1]);
    },
    close: () => nest.close(),
  };
}
