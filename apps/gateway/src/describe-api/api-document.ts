import { hash } from 'node:crypto';
import type { Exchange } from '../http/exchange.js';
import { answerDocument } from '../http/respond.js';
import type { Route } from '../http/route-catalogue.js';
import { buildDocument } from './build-document.js';

interface Written {
  readonly text: string;
  readonly tag: string;
}

/** The OpenAPI document, built at the first request and kept: routes do not change while the gateway runs. */
export class ApiDocument {
  private written: Written | undefined;

  constructor(private readonly routes: () => readonly Route[]) {}

  answer(exchange: Exchange): void {
    this.written ??= write(this.routes());
    answerDocument(exchange, this.written.tag, this.written.text);
  }
}

function write(routes: readonly Route[]): Written {
  const text = JSON.stringify(buildDocument(routes));
  return { text, tag: `"${hash('sha256', text, 'base64url')}"` };
}
