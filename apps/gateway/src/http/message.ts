import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** What is known of every request, whichever of the two readers has read it (docs/decisions/http-edge.md). */
export type RequestHead = Pick<
  IncomingMessage,
  'method' | 'url' | 'httpVersion' | 'headers' | 'rawHeaders' | 'socket'
> & {
  /** Of a request that was read whole: the path of its target, and its body, once. */
  readonly path?: string;
  takeBody?(): Buffer;
};

/** What is needed of every answer, whoever writes it. */
export interface Answering {
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  readonly socket: Socket | null;
  shouldKeepAlive: boolean;
  writeHead(status: number, headers: string[]): unknown;
  end(body: string, encoding: 'latin1' | 'utf8'): unknown;
  setTimeout(milliseconds: number, onTimeout: () => void): unknown;
  once(event: 'close', onClose: () => void): unknown;
  destroy(): unknown;
}
