import type { Server } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express } from 'express';

/**
 * Express without features that the hot path does not use; paths match exactly, so that unknown ones are 404.
 */
export function createExpress(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.enable('strict routing');
  app.enable('case sensitive routing');
  return app;
}

/** Nest on our own server: the edge runs before Express. */
export class EdgeAdapter extends ExpressAdapter {
  constructor(
    app: Express,
    private readonly server: Server,
  ) {
    super(app);
  }

  override initHttpServer(): void {
    this.setHttpServer(this.server);
  }
}
