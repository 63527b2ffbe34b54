import { MAX_VALIDATOR } from '@truetally/contracts/management';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  type Reachable,
  requestErrorCode,
  requestWithin,
  UnreachableAddressError,
} from '@truetally/platform';
import { plainBytes, tooLarge } from './bounded-body.js';
import { FeedError } from './feed-error.js';
import type { FeedLimits } from './feed-limits.js';

/** Where a feed is, and what its server said of it when it was read last. */
export interface FeedAddress {
  readonly url: string;
  readonly username: string | null;
  readonly password: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** The plain bytes of a feed. */
export interface OpenFeed {
  readonly bytes: AsyncIterable<Buffer>;
  readonly contentType: string | undefined;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

const MAX_HEADER_BYTES = 16 * 1_024;
const OK = 200;
const NOT_MODIFIED = 304;
const TOO_MANY = 429;

/**
 * Fetches feeds by the same checks as webhooks: a name is resolved at the connection, and connected to only at an address that was
 * checked; no redirect is followed, which would send the credentials elsewhere.
 */
export class FeedClient {
  constructor(
    private readonly reachable: Reachable,
    private readonly limits: FeedLimits,
  ) {}

  /**
   * @param use reads the feed before it resolves; undefined for one that has not changed
   * @throws FeedError, also from what `use` reads, and the errors of `use`
   */
  async fetch<T>(
    address: FeedAddress,
    signal: AbortSignal,
    use: (feed: OpenFeed | undefined) => Promise<T>,
  ): Promise<T> {
    const answer = await this.ask(address, signal);
    try {
      return await use(this.opened(answer, address));
    } finally {
      answer.destroy();
    }
  }

  private async ask(address: FeedAddress, signal: AbortSignal): Promise<IncomingMessage> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.limits.headersMs);
    try {
      return await requestWithin(this.reachable, new URL(address.url), {
        method: 'GET',
        headers: headersFor(address),
        signal: AbortSignal.any([signal, late.signal]),
        agent: false,
        maxHeaderSize: MAX_HEADER_BYTES,
      });
    } catch (error) {
      throw late.signal.aborted && !signal.aborted ? new FeedError(LATE) : faultOf(error, signal);
    } finally {
      clearTimeout(timer);
    }
  }

  private opened(answer: IncomingMessage, address: FeedAddress): OpenFeed | undefined {
    const { statusCode = 0, headers } = answer;
    if (statusCode === NOT_MODIFIED && isConditional(address)) return undefined;
    if (statusCode !== OK) throw faultOfStatus(statusCode);
    const [etag, lastModified] = [validatorIn(headers, 'etag'), validatorIn(headers, 'last-modified')];
    // A server that ignores conditions tells all the same.
    if (etag !== null && etag === address.etag) return undefined;
    if (etag === null && lastModified !== null && lastModified === address.lastModified) return undefined;
    const { maxBytes, idleMs } = this.limits;
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw new FeedError(tooLarge(maxBytes));
    const encoding = headers['content-encoding'] ?? 'identity';
    if (!/^(?:identity|gzip|x-gzip)$/i.test(encoding.trim()))
      throw new FeedError('The feed is sent in an encoding other than gzip.');
    return {
      bytes: plainBytes(arriving(answer, idleMs), this.limits),
      contentType: headers['content-type'],
      etag,
      lastModified,
    };
  }
}

/** The time in which rows are stored is not the server's. */
async function* arriving(answer: IncomingMessage, idleMs: number): AsyncGenerator<Buffer> {
  const wait = (): NodeJS.Timeout => setTimeout(() => answer.destroy(new FeedError(LATE)), idleMs);
  let timer = wait();
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      yield chunk;
      timer = wait();
    }
  } catch (error) {
    throw faultOf(error, undefined);
  } finally {
    clearTimeout(timer);
  }
}

function isConditional({ etag, lastModified }: FeedAddress): boolean {
  return etag !== null || lastModified !== null;
}

function headersFor({ username, password, etag, lastModified }: FeedAddress): Record<string, string> {
  const isPublic = username === null && password === null;
  const basic = Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64');
  return {
    accept:
      'application/rss+xml, application/atom+xml, application/xml, text/xml, text/tab-separated-values, text/csv, */*',
    'accept-encoding': 'gzip',
    'user-agent': 'Truetally-Feeds/1',
    ...(isPublic ? {} : { authorization: `Basic ${basic}` }),
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
  };
}

/** What can be sent back as it is. */
function validatorIn(headers: IncomingHttpHeaders, name: 'etag' | 'last-modified'): string | null {
  const value = headers[name] ?? '';
  return /^[\x20-\x7e]+$/.test(value) && value.length <= MAX_VALIDATOR ? value : null;
}

function faultOfStatus(status: number): FeedError {
  if (status >= 300 && status < 400)
    return new FeedError(`The feed's server answered ${status}; redirects are not followed.`);
  if (status === 401 || status === 403)
    return new FeedError(`The feed's server refused the credentials (${status}).`);
  return new FeedError(`The feed's server answered ${status}.`, status >= 500 || status === TOO_MANY);
}

const LATE = "The feed's server did not answer in time.";

function faultOf(error: unknown, signal: AbortSignal | undefined): unknown {
  if (error instanceof FeedError || signal?.aborted === true) return error;
  if (error instanceof UnreachableAddressError)
    return new FeedError('base_url leads to a private, loopback or link-local address.');
  const code = requestErrorCode(error);
  if (code === 'ETIMEDOUT') return new FeedError(LATE);
  if (code === 'HPE_HEADER_OVERFLOW') return new FeedError("The headers of the feed's server are too large.");
  if (code.startsWith('HPE_')) return new FeedError("The feed's server does not speak HTTP.");
  return new FeedError("The feed's server could not be reached, or closed the connection early.", true);
}
