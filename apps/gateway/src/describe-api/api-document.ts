import { hash } from 'node:crypto';
import type { Exchange, RouteRules } from '../http/exchange.js';
import { answerDocument } from '../http/respond.js';
import { buildDocument } from './build-document.js';

interface Written {
  readonly text: string;
  readonly tag: string;
}

/** The OpenAPI document, built at the first request and kept: routes do not change while the gateway runs. */
export class ApiDocument {
  private written: Written | undefined;

  constructor(private readonly routes: () => readonly RouteRules[]) {}

  answer(exchange: Exchange): void {
    this.written ??= write(this.routes());
    answerDocument(exchange, this.written.tag, this.written.text);
  }
}

function write(routes: readonly RouteRules[]): Written {
  const text = JSON.stringify(buildDocument(routes));
  return { text, tag: `"${hash('sha256', text, 'base64url')}"` };
}
