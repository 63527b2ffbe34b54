import { REQUEST_TIMEOUT_MS, MAX_RECORDS } from './limits.js';
import { type HttpAnswer, errorOf, objectOf } from './judge-answer.js';
import type { Platform } from './platform.js';
import type { RequestRecord } from './types.js';

/** What a request came to. */
export type Reply = HttpAnswer;

export interface Requests {
  /** @param body without one it is a GET */
  send(path: string, body?: string, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** Ends the requests that are under way. */
  abort(): void;
  readonly records: readonly RequestRecord[];
}

/** Requests to the service. Records what a support engineer asks for, and never a token or content. */
export function openRequests(platform: Platform, endpoint: string): Requests {
  const records: RequestRecord[] = [];
  const current = new Set<AbortController>();
  return {
    records,
    abort() {
      for (const aborter of current) aborter.abort();
    },
    async send(path, body, headers) {
      const method = body === undefined ? 'GET' : 'POST';
      const aborter = new AbortController();
      current.add(aborter);
      const timer = platform.setTimer(() => aborter.abort(), REQUEST_TIMEOUT_MS);
      const at = new Date(platform.now()).toISOString();
      const reply = await answerOf(platform, endpoint + path, {
        method,
        body: body ?? null,
        headers: { 'Content-Type': 'application/json', ...headers },
        credentials: 'omit',
        signal: aborter.signal,
      });
      platform.clearTimer(timer);
      current.delete(aborter);
      const { status, requestId } = reply;
      const { code, message } = errorOf(reply);
      const isError = status === 0 || status >= 400;
      records.push({
        method,
        // Its query names the session and the page.
        path: path.split('?', 1)[0] ?? path,
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

async function answerOf(platform: Platform, url: string, request: RequestInit): Promise<Reply> {
  try {
    const response = await platform.ask(url, request);
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

function parsed({ fromJson }: Platform, text: string): unknown {
  try {
    return fromJson(text);
  } catch {
    return undefined;
  }
}
