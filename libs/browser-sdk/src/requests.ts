import { REQUEST_TIMEOUT_MS, MAX_RECORDS, MS_PER_SECOND } from './limits.js';
import { type Reply, errorOf, objectOf } from './judge-answer.js';
import { Native, type Platform } from './platform.js';
import type { RequestRecord } from './types.js';

export interface Requests {
  /** @param body without one it is a GET */
  exchange(
    path: string,
    signal: AbortSignal,
    body?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply>;
  readonly records: readonly RequestRecord[];
}

/** Requests to the service. Records what a support engineer asks for, and never a token or content. */
export function openRequests(platform: Platform, endpoint: string): Requests {
  const records: RequestRecord[] = [];
  return {
    records,
    async exchange(path, signal, body, headers) {
      const method = body ? 'POST' : 'GET';
      const at = new Date(platform.clock()).toISOString();
      let reply: Reply = { status: 0, data: {}, retryAfterMs: 0, resetMs: 0 };
      // One time for the answer's head and body: a connection may fall silent between them.
      const late = platform.pass(REQUEST_TIMEOUT_MS);
      try {
        const response = await Native.race([
          platform.ask(endpoint + path, {
            method,
            body,
            headers,
            credentials: 'omit',
            signal,
          } as RequestInit),
          late,
        ]);
        if (!response) throw response;
        const msOf = (name: string): number => (Number(response.headers.get(name)) || 0) * MS_PER_SECOND;
        const answer = await Native.race([response.json().catch(() => undefined), late]);
        // Half a success is none; an error without an envelope is of something between us and the service.
        if (!answer && response.ok) throw answer;
        const { data, error, meta } = objectOf(answer);
        reply = {
          status: response.status,
          data: objectOf(data),
          error,
          retryAfterMs: msOf('retry-after'),
          resetMs: msOf('x-ratelimit-reset'),
          requestId: objectOf(meta)['request_id'] as string | undefined,
        };
      } catch {
        // There is no answer.
      }
      const { status, requestId } = reply;
      const { code, message } = errorOf(reply);
      records.push({
        method,
        // Its query names the session and the page.
        path: String(path.split('?', 1)),
        at,
        status,
        request_id: requestId,
        error: status && status < 400 ? undefined : { code, message },
      });
      if (records.length > MAX_RECORDS) records.shift();
      return reply;
    },
  };
}
