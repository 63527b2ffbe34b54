import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Provider } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { Logger } from '@truetally/platform';
import { AppModule } from '../app.module.js';
import { createExpress, EdgeAdapter } from './edge-adapter.js';
import { FailureFilter } from './failure-filter.js';
import { RouteCatalogue, routesOf } from './route-catalogue.js';

export interface NestApplication {
  readonly routes: RouteCatalogue;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  close(): Promise<void>;
}

/** The controllers behind Express, without what Nest adds per request, and the list of their routes. */
export async function createNestApplication(
  server: Server,
  providers: Provider[],
  log: Logger,
): Promise<NestApplication> {
  const app = createExpress();
  const nest = await NestFactory.create(AppModule.with(providers), new EdgeAdapter(app, server), {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  });
  nest.useGlobalFilters(new FailureFilter(log));
  await nest.init();
  return {
    routes: new RouteCatalogue(routesOf(nest.get(ModulesContainer))),
    handle: (request, response) => {
      // Express's own types want its own request; it makes one of ours by setting the prototype.
      app(request as Parameters<typeof app>[0], response as Parameters<typeof app>[1]);
    },
    close: () => nest.close(),
  };
}
