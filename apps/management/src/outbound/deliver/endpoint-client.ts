import { checkHost, lookupWithin, type Reachable, UnreachableAddressError } from '@truetally/platform';
import { Agent, type Dispatcher, errors } from 'undici';
import { harmlessText, KEPT_RESPONSE_BYTES } from '../domain/harmless-text.js';

/** What an endpoint did with one request. */
export interface EndpointAnswer {
  /** Null without an answer. */
  readonly status: number | null;
  readonly latencyMs: number;
  /** Null for a success. In plain words, without an address inside of a network. */
  readonly error: string | null;
  /** The beginning of the answer, made harmless; null without one. */
  readonly response: string | null;
}

/** For the whole exchange: name, connection, request, answer. */
export const ATTEMPT_TIMEOUT_MS = 10_000;
const CONNECTIONS_PER_ENDPOINT = 32;
const KEEP_ALIVE_MS = 10_000;
const MAX_HEADER_BYTES = 16 * 1_024;
/** Of endpoints without a request, the one that waits longest loses its connections first. */
const MAX_AGENTS = 1_000;

/**
 * Calls endpoints. Each workflow has connections of its own, so that one that hangs takes none of another's, also on the same
 * host. A name is resolved at each connection, and connected to only at an address that was checked; no redirect is followed.
 */
export class EndpointClient {
  private readonly agents = new Map<string, Agent>();

  constructor(private readonly reachable: Reachable) {}

  /** Never rejects. */
  async post(
    owner: string,
    url: string,
    { body, headers }: { readonly body: string; readonly headers: Readonly<Record<string, string>> },
  ): Promise<EndpointAnswer> {
    const startedAt = performance.now();
    const latency = (): number => Math.round(performance.now() - startedAt);
    const timeout = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
    try {
      checkHost(this.reachable, new URL(url));
      const { statusCode, body: answer } = await this.agentOf(owner).request({
        origin: new URL(url).origin,
        path: pathOf(url),
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Truetally-Webhooks/1' },
        body,
        signal: timeout,
      });
      const response = await beginningOf(answer, timeout);
      return { status: statusCode, latencyMs: latency(), error: errorOf(statusCode), response };
    } catch (error) {
      return { status: null, latencyMs: latency(), error: wordsFor(error), response: null };
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.agents.values()].map((agent) => agent.destroy()));
    this.agents.clear();
  }

  private agentOf(owner: string): Agent {
    const known = this.agents.get(owner);
    // The newest use comes last.
    this.agents.delete(owner);
    const agent = known ?? this.newAgent();
    this.agents.set(owner, agent);
    if (this.agents.size > MAX_AGENTS) this.closeOldest();
    return agent;
  }

  private newAgent(): Agent {
    return new Agent({
      connections: CONNECTIONS_PER_ENDPOINT,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: ATTEMPT_TIMEOUT_MS,
      bodyTimeout: ATTEMPT_TIMEOUT_MS,
      connect: { lookup: lookupWithin(this.reachable), timeout: ATTEMPT_TIMEOUT_MS },
    });
  }

  private closeOldest(): void {
    const [oldest] = this.agents;
    if (oldest === undefined) return;
    const [owner, agent] = oldest;
    this.agents.delete(owner);
    // Requests that are under way end before it closes.
    void agent.close();
  }
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** What comes after the first bytes is not read: the connection ends, unless the answer has ended. */
async function beginningOf(
  body: Dispatcher.ResponseData['body'],
  timeout: AbortSignal,
): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= KEPT_RESPONSE_BYTES) break;
    }
  } catch (error) {
    // The status has been answered: an answer that breaks off later is that answer, and one that drips is none.
    if (timeout.aborted) throw error;
  } finally {
    body.destroy();
  }
  return harmlessText(Buffer.concat(chunks));
}

const OK = 200;
const REDIRECTS = 300;
const ERRORS = 400;

function errorOf(status: number): string | null {
  if (status >= OK && status < REDIRECTS) return null;
  if (status >= REDIRECTS && status < ERRORS)
    return `The endpoint answered ${status}; redirects are not followed.`;
  return `The endpoint answered ${status}.`;
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The endpoint refuses connections.',
  ECONNRESET: 'The endpoint closed the connection without an answer.',
  UND_ERR_SOCKET: 'The endpoint closed the connection without an answer.',
  EPIPE: 'The endpoint closed the connection without an answer.',
  ENOTFOUND: 'The name of the endpoint does not exist.',
  EAI_AGAIN: 'The name of the endpoint cannot be resolved at the moment.',
  EHOSTUNREACH: 'The endpoint cannot be reached.',
  ENETUNREACH: 'The endpoint cannot be reached.',
  ETIMEDOUT: timedOut(),
  UND_ERR_CONNECT_TIMEOUT: timedOut(),
  UND_ERR_HEADERS_TIMEOUT: timedOut(),
  UND_ERR_BODY_TIMEOUT: timedOut(),
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too large.',
};

function timedOut(): string {
  return `The endpoint did not answer within ${ATTEMPT_TIMEOUT_MS / 1_000} s.`;
}

/** For the merchant: nothing of our network, and no text of the endpoint's. */
function wordsFor(error: unknown): string {
  if (error instanceof UnreachableAddressError || causeOf(error) instanceof UnreachableAddressError)
    return 'The address is private, loopback or link-local.';
  if (error instanceof Error && error.name === 'TimeoutError') return timedOut();
  const code = codeOf(error) ?? codeOf(causeOf(error)) ?? '';
  if (error instanceof errors.HTTPParserError) return 'The endpoint does not speak HTTP.';
  if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO)/.test(code))
    return 'The TLS connection failed; its certificate must be valid for the name.';
  return WORDS[code] ?? 'The endpoint cannot be reached.';
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
