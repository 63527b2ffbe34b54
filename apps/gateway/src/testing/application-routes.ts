import 'reflect-metadata';
import { Module, type Type } from '@nestjs/common';
import { MODULE_METADATA, PARAMTYPES_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { FEATURES } from '../application.js';
import type { Route } from '../http/exchange.js';
import { routesOf } from '../door/routes.js';

/**
 * Every route that the application declares. Routes are only listed, never called, so that controllers get empty
 * objects as their dependencies.
 */
export async function applicationRoutes(): Promise<{ readonly routes: Route[] }> {
  const controllers = FEATURES.flatMap(
    (feature) => Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, feature) as Type[],
  );
  const asked = new Set(controllers.flatMap(dependenciesOf));
  const providers = [...asked].map((provide) => ({ provide, useValue: {} }));
  @Module({ controllers, providers })
  class RoutesModule {}
  const nest = await NestFactory.createApplicationContext(RoutesModule, { logger: false });
  return { routes: routesOf(nest.get(ModulesContainer)) };
}

function dependenciesOf(controller: Type): readonly Type[] {
  return (Reflect.getMetadata(PARAMTYPES_METADATA, controller) ?? []) as readonly Type[];
}
