import { type ClientRequestArgs, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { checkHost, lookupWithin, type Reachable } from './reachable-lookup.js';

interface ReachableRequest extends Pick<
  ClientRequestArgs,
  'method' | 'headers' | 'signal' | 'agent' | 'maxHeaderSize'
> {
  readonly body?: string | undefined;
}

/**
 * Sends a request, only to an address that may be called, and resolves with the beginning of its answer: interim ones (1xx),
 * asked for or not, are passed over up to a bound, and no redirect is followed. Its signal ends the answer, too.
 * @throws UnreachableAddressError, and the errors of `node:http`
 */
export async function requestWithin(
  reachable: Reachable,
  url: URL,
  { body, ...options }: ReachableRequest,
): Promise<IncomingMessage> {
  checkHost(reachable, url);
  const start = url.protocol === 'https:' ? secureRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const request = start(url, { ...options, lookup: lookupWithin(reachable) }, (answer) => {
      // To Node an answer without a length is whole, also where its connection was reset.
      request.on('error', (error) => {
        if (!answer.complete) answer.destroy(error);
      });
      resolve(answer);
    });
    request.on('error', reject);
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > MOST_INTERIM)
        request.destroy(Object.assign(new Error(UNENDING), { code: 'ERR_INTERIM' }));
    });
    // A connection that is taken for another protocol, which nobody asked for, ends without an error.
    request.on('close', () => reject(Object.assign(new Error(CLOSED), { code: 'ECONNRESET' })));
    request.end(body);
  });
}

/** How long an answer asks to be left alone, in milliseconds: seconds, or a time beside its own `Date`. Null where it does not say. */
export function retryAfterMsOf({ headers }: Pick<IncomingMessage, 'headers'>): number | null {
  const { 'retry-after': after = '', date = '' } = headers;
  const ms = /^\d{1,9}$/.test(after) ? Number(after) * MS_PER_SECOND : Date.parse(after) - Date.parse(date);
  return ms >= 0 ? ms : null;
}

/** What Node calls an error of `requestWithin`, such as `ECONNREFUSED` or `HPE_INVALID_CONSTANT`; empty where it has no name. */
export function requestErrorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

const MS_PER_SECOND = 1_000;
/** Each is handled for as long as its caller waits, and none is asked for. */
const MOST_INTERIM = 32;
const UNENDING = 'Interim answers (1xx) came without end.';
const CLOSED = 'The connection was closed without an answer.';
