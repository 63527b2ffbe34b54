import { MAX_VALIDATOR } from '@truetally/contracts/management';
import { checkHost, lookupWithin, type Reachable, UnreachableAddressError } from '@truetally/platform';
import { Agent, type Dispatcher, errors } from 'undici';
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
const CONNECT_MS = 10_000;
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
    const agent = this.newAgent();
    try {
      const answer = await this.ask(agent, address, signal);
      return await use(this.opened(answer, address));
    } finally {
      await agent.destroy();
    }
  }

  private async ask(
    agent: Agent,
    address: FeedAddress,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    try {
      const url = new URL(address.url);
      checkHost(this.reachable, url);
      const path = url.pathname + url.search;
      const headers = headersFor(address);
      return await agent.request({ origin: url.origin, path, method: 'GET', headers, signal });
    } catch (error) {
      throw faultOf(error, signal);
    }
  }

  private opened(
    { statusCode, headers, body }: Dispatcher.ResponseData,
    address: FeedAddress,
  ): OpenFeed | undefined {
    if (statusCode === NOT_MODIFIED && isConditional(address)) return undefined;
    if (statusCode !== OK) throw faultOfStatus(statusCode);
    const [etag, lastModified] = [validatorIn(headers, 'etag'), validatorIn(headers, 'last-modified')];
    // A server that ignores conditions tells all the same.
    if (etag !== null && etag === address.etag) return undefined;
    if (etag === null && lastModified !== null && lastModified === address.lastModified) return undefined;
    const { maxBytes } = this.limits;
    if (Number(textIn(headers, 'content-length') ?? 0) > maxBytes) throw new FeedError(tooLarge(maxBytes));
    const encoding = textIn(headers, 'content-encoding') ?? 'identity';
    if (!/^(?:identity|gzip|x-gzip)$/i.test(encoding.trim()))
      throw new FeedError('The feed is sent in an encoding other than gzip.');
    return {
      bytes: plainBytes(translated(body as AsyncIterable<Buffer>), this.limits),
      contentType: textIn(headers, 'content-type'),
      etag,
      lastModified,
    };
  }

  private newAgent(): Agent {
    const { headersMs, idleMs } = this.limits;
    return new Agent({
      connections: 1,
      pipelining: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: headersMs,
      bodyTimeout: idleMs,
      connect: { lookup: lookupWithin(this.reachable), timeout: Math.min(CONNECT_MS, headersMs) },
    });
  }
}

async function* translated(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw faultOf(error, undefined);
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

type Headers = Dispatcher.ResponseData['headers'];

function textIn(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** What can be sent back as it is. */
function validatorIn(headers: Headers, name: string): string | null {
  const value = textIn(headers, name) ?? '';
  return /^[\x20-\x7e]+$/.test(value) && value.length <= MAX_VALIDATOR ? value : null;
}

function faultOfStatus(status: number): FeedError {
  if (status >= 300 && status < 400)
    return new FeedError(`The feed's server answered ${status}; redirects are not followed.`);
  if (status === 401 || status === 403)
    return new FeedError(`The feed's server refused the credentials (${status}).`);
  return new FeedError(`The feed's server answered ${status}.`, status >= 500 || status === TOO_MANY);
}

const SLOW = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'ETIMEDOUT',
]);

function faultOf(error: unknown, signal: AbortSignal | undefined): unknown {
  if (error instanceof FeedError || signal?.aborted === true) return error;
  const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  if (error instanceof UnreachableAddressError || cause instanceof UnreachableAddressError)
    return new FeedError('base_url leads to a private, loopback or link-local address.');
  const code = codeOf(error) ?? codeOf(cause) ?? '';
  if (SLOW.has(code)) return new FeedError("The feed's server did not answer in time.");
  if (error instanceof errors.HTTPParserError) return new FeedError("The feed's server does not speak HTTP.");
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new FeedError("The headers of the feed's server are too large.");
  return new FeedError("The feed's server could not be reached, or closed the connection early.", true);
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
