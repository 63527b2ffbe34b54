import { type HttpAnswer, errorOf, objectOf } from './judge-answer.js';
import type { Platform } from './platform.js';
import type { RequestRecord } from './types.js';

export interface Reply extends HttpAnswer {
  readonly requestId?: string | undefined;
}

export interface Requests {
  post(path: string, body: string, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** Ends the request that is under way. */
  abort(): void;
  readonly records: readonly RequestRecord[];
}

const TIMEOUT_MS = 15_000;
const MAX_RECORDS = 20;

/** Requests to the service, one at a time. Records what a support engineer asks for, and never a token or content. */
export function openRequests(platform: Platform, endpoint: string): Requests {
  const records: RequestRecord[] = [];
  let current: AbortController | undefined;
  return {
    records,
    abort: () => current?.abort(),
    async post(path, body, headers) {
      const aborter = new AbortController();
      current = aborter;
      const timer = platform.setTimer(() => aborter.abort(), TIMEOUT_MS);
      const at = new Date(platform.now()).toISOString();
      const reply = await send(platform, endpoint + path, {
        method: 'POST',
        body,
        headers: { 'Content-Type': 'application/json', ...headers },
        credentials: 'omit',
        signal: aborter.signal,
      });
      platform.clearTimer(timer);
      const { status, requestId } = reply;
      const { code, message } = errorOf(reply.body, status);
      const isError = status === 0 || status >= 400;
      records.push({
        method: 'POST',
        path,
        at,
        status,
        request_id: requestId,
        error: isError ? { code, message } : undefined,
      });
      if (records.length > MAX_RECORDS) records.shift();
      return reply;
    },
  };
}

async function send(platform: Platform, url: string, request: RequestInit): Promise<Reply> {
  try {
    const response = await platform.fetch(url, request);
    const { status, headers } = response;
    const body = parsed(platform, await response.text());
    const { request_id } = objectOf(objectOf(body)['meta']);
    return {
      status,
      body,
      retryAfter: headers.get('retry-after'),
      rateLimitReset: headers.get('x-ratelimit-reset'),
      requestId: typeof request_id === 'string' ? request_id : undefined,
    };
  } catch {
    return { status: 0 };
  }
}

function parsed({ parse }: Platform, text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
