import type { Server } from 'node:http';
import { type DynamicModule, type INestApplication, Module, type Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { CoreModule } from './core/core.module.js';
import type { GatewayFoundation } from './core/gateway-foundation.js';
import * as features from './features.js';
import { EdgeAdapter } from './door/edge-adapter.js';
import type { RouteRules } from './http/exchange.js';
import { RouteCatalogue, routesOf, routesOfControllers } from './door/routes.js';

export interface Application {
  readonly routes: RouteCatalogue;
  readonly parts: Pick<INestApplication, 'get'>;
  close(): Promise<void>;
}

export const FEATURES: readonly Type[] = Object.values(features);

/** Every route of every feature, without a running gateway. */
export function declaredRoutes(): readonly RouteRules[] {
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

/** The core and the features, put together by Nest, and the list of their routes for the edge. */
export async function createApplication(server: Server, foundation: GatewayFoundation): Promise<Application> {
  const module = GatewayModule.over(CoreModule.over(foundation));
  const nest = await NestFactory.create(module, new EdgeAdapter(server), {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  });
  await nest.init();
  return {
    routes: new RouteCatalogue(routesOf(nest.get(ModulesContainer))),
    parts: nest,
    close: () => nest.close(),
  };
}
