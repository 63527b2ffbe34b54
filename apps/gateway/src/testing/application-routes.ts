import 'reflect-metadata';
import { createServer } from 'node:http';
import { Module, type Type } from '@nestjs/common';
import { MODULE_METADATA, SELF_DECLARED_DEPS_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { Express } from 'express';
import { FEATURES } from '../application.js';
import { createExpress, EdgeAdapter } from '../http/edge-adapter.js';
import { type Route, routesOf } from '../http/route-catalogue.js';

/**
 * Every route that the application declares, and its Express application. Routes are only listed, never called,
 * so that controllers get empty objects as their dependencies.
 */
export async function applicationRoutes(): Promise<{ readonly app: Express; readonly routes: Route[] }> {
  const app = createExpress();
  const controllers = FEATURES.flatMap(
    (feature) => Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, feature) as Type[],
  );
  const asked = new Set(controllers.flatMap(dependenciesOf));
  const providers = [...asked].map((provide) => ({ provide, useValue: {} }));
  @Module({ controllers, providers })
  class RoutesModule {}
  const nest = await NestFactory.create(RoutesModule, new EdgeAdapter(app, createServer()), {
    bodyParser: false,
    logger: false,
  });
  await nest.init();
  return { app, routes: routesOf(nest.get(ModulesContainer)) };
}

function dependenciesOf(controller: Type): readonly Type[] {
  const injected: unknown = Reflect.getMetadata(SELF_DECLARED_DEPS_METADATA, controller) ?? [];
  return (injected as readonly { readonly param: Type }[]).map(({ param }) => param);
}
