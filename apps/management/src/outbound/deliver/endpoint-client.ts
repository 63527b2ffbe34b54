import { Agent, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import {
  type Reachable,
  requestErrorCode,
  requestWithin,
  retryAfterMsOf,
  UnreachableAddressError,
} from '@truetally/platform';
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
  /** How long it asks to be left alone; null where it does not say. */
  readonly retryAfterMs: number | null;
}

/** For the whole exchange: name, connection, request, answer. */
export const ATTEMPT_TIMEOUT_MS = 10_000;
/** Of an endpoint: how many, and for how long one is kept without a request. */
const KEPT_CONNECTIONS = { keepAlive: true, maxSockets: 32, timeout: 10_000 };
const MAX_HEADER_BYTES = 16 * 1_024;
/** The endpoint that was called longest ago makes new connections. */
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
      const to = new URL(url);
      const answer = await requestWithin(this.reachable, to, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Truetally-Webhooks/1' },
        body,
        signal: timeout,
        agent: this.agentOf(owner, to.protocol),
        maxHeaderSize: MAX_HEADER_BYTES,
      });
      const response = await beginningOf(answer, timeout);
      const status = answer.statusCode ?? null;
      return {
        status,
        latencyMs: latency(),
        error: errorOf(status ?? 0),
        response,
        retryAfterMs: retryAfterMsOf(answer),
      };
    } catch (error) {
      const words = timeout.aborted ? TIMED_OUT : wordsFor(error);
      return { status: null, latencyMs: latency(), error: words, response: null, retryAfterMs: null };
    }
  }

  close(): void {
    for (const agent of this.agents.values()) agent.destroy();
    this.agents.clear();
  }

  private agentOf(owner: string, protocol: string): Agent {
    const name = `${protocol}${owner}`;
    const known = this.agents.get(name);
    // The newest use comes last.
    this.agents.delete(name);
    const agent = known ?? new (protocol === 'https:' ? SecureAgent : Agent)(KEPT_CONNECTIONS);
    this.agents.set(name, agent);
    if (this.agents.size > MAX_AGENTS) this.forgetOldest();
    return agent;
  }

  /** What is under way ends, and its idle connections by their timeout. */
  private forgetOldest(): void {
    const [oldest] = this.agents.keys();
    if (oldest !== undefined) this.agents.delete(oldest);
  }
}

/** What comes after the first bytes is not read: the connection ends, unless the answer has ended. */
async function beginningOf(answer: IncomingMessage, timeout: AbortSignal): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= KEPT_RESPONSE_BYTES) break;
    }
  } catch (error) {
    // The status has been answered: an answer that breaks off later is that answer, and one that drips is none.
    if (timeout.aborted) throw error;
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

const TIMED_OUT = `The endpoint did not answer within ${ATTEMPT_TIMEOUT_MS / 1_000} s.`;
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The endpoint refuses connections.',
  ECONNRESET: 'The endpoint closed the connection without an answer.',
  EPIPE: 'The endpoint closed the connection without an answer.',
  ENOTFOUND: 'The name of the endpoint does not exist.',
  EAI_AGAIN: 'The name of the endpoint cannot be resolved at the moment.',
  EHOSTUNREACH: 'The endpoint cannot be reached.',
  ENETUNREACH: 'The endpoint cannot be reached.',
  ETIMEDOUT: TIMED_OUT,
  ERR_INTERIM: 'The endpoint says without end that it goes on, and does not answer.',
  HPE_HEADER_OVERFLOW: 'The headers of the answer are too large.',
};

/** For the merchant: nothing of our network, and no text of the endpoint's. */
function wordsFor(error: unknown): string {
  if (error instanceof UnreachableAddressError) return 'The address is private, loopback or link-local.';
  const code = requestErrorCode(error);
  if (Object.hasOwn(WORDS, code)) return WORDS[code] ?? '';
  if (code.startsWith('HPE_')) return 'The endpoint does not speak HTTP.';
  if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO)/.test(code))
    return 'The TLS connection failed; its certificate must be valid for the name.';
  return 'The endpoint cannot be reached.';
}
