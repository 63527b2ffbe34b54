import type { Server } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express } from 'express';

/** Express without what the hot path does not use; addresses match exactly, so that unknown ones are 404. */
export function createExpress(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.enable('strict routing');
  app.enable('case sensitive routing');
  return app;
}

/** Nest on a server of ours: the edge stands before Express on it. */
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
