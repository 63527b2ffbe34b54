import type { Server } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';

/** Nest registers a route by the method of its adapter that is named as the HTTP method. */
const ROUTED = ['get', 'post', 'put', 'patch', 'delete', 'options', 'head', 'all', 'use'] as const;

/**
 * Nest on our own server, whose requests the edge answers. Express gets no route: the catalogue has them all, and a
 * second router behind it would have other rules.
 */
export class EdgeAdapter extends ExpressAdapter {
  constructor(private readonly server: Server) {
    super();
    for (const name of ROUTED) Object.defineProperty(this, name, { value: () => undefined });
  }

  override initHttpServer(): void {
    this.setHttpServer(this.server);
  }
}
