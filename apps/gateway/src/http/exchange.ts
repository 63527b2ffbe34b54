import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../credentials/caller.js';
import type { Allowance } from '../limits/allowance.js';
import type { Route } from './route-catalogue.js';

/** One request and its answer, with what the edge found out about them before a controller sees them. */
export class Exchange {
  /** Set once the route is known; unknown addresses are answered without one. */
  route: Route | undefined;
  /** Who asks. Undefined on public routes, and where the credential is still in the unread body. */
  caller: Caller | undefined;
  /** What is left of the caller's hour; once set, every answer carries it. */
  allowance: Allowance | undefined;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly requestId: string,
    readonly origin: string | undefined,
    /** Whether a browser at this origin may read the answer. */
    readonly isOriginListed: boolean,
    /** Counts the answer by route and status. */
    readonly onAnswered: (exchange: Exchange, status: number) => void,
  ) {}

  /** Names and values after the path's `?`, or undefined when there are none. */
  get query(): URLSearchParams | undefined {
    const url = this.request.url ?? '';
    const start = url.indexOf('?');
    return start < 0 || start === url.length - 1 ? undefined : new URLSearchParams(url.slice(start));
  }
}

/** Controllers reach their exchange through the response that Nest hands them. */
export interface EdgeResponse extends ServerResponse {
  exchange: Exchange;
}
