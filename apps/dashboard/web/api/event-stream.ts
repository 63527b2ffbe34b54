import { createParser } from 'eventsource-parser';
import { ApiError, noAnswer } from './api-error.js';
import { reach, refusalOf } from './request.js';

/** A frame of the live stream (interface page, section 9). */
export interface StreamFrame {
  readonly event: string;
  readonly data: unknown;
}

export interface StreamSettings {
  readonly url: string;
  /** Asked again for each connection: a token ends while the stream goes on. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  /** Of the last frame that was seen: the stream goes on behind it. */
  readonly lastEventId: string | undefined;
  readonly onFrame: (frame: StreamFrame, id: string | undefined) => void;
  readonly onConnected: (isConnected: boolean) => void;
  readonly signal: AbortSignal;
  readonly times?: StreamTimes;
}

export interface StreamTimes {
  /** The service sends a comment each 15 s: without a byte for longer than this the connection is dead. */
  readonly silenceMs: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

const TIMES: StreamTimes = { silenceMs: 35_000, firstPauseMs: 1_000, longestPauseMs: 30_000 };
/** What another try may change: no answer, a limit, a service that is away. */
const PASSING = new Set([0, 429, 500, 502, 503, 504]);

/**
 * Follows a stream over all its connections until the signal ends it. The browser's own `EventSource` cannot send
 * `Authorization`. @throws ApiError what waiting does not change, or not soon
 */
export async function followStream(settings: StreamSettings): Promise<void> {
  const { signal, times = TIMES, onConnected } = settings;
  let { lastEventId } = settings;
  let failures = 0;
  const takeFrame = (frame: StreamFrame, id: string | undefined): void => {
    failures = 0;
    lastEventId = id ?? lastEventId;
    settings.onFrame(frame, id);
    if (isForbidden(frame)) throw new ApiError(403, 'FORBIDDEN', 'The stream was ended.', {}, undefined, 0);
  };
  while (!signal.aborted) {
    let waitMs = 0;
    try {
      await readOnce(settings, lastEventId, times.silenceMs, takeFrame);
    } catch (error) {
      if (signal.aborted) break;
      if (!(error instanceof ApiError) || !PASSING.has(error.status)) throw error;
      // Of an hour's allowance it is minutes: who looks on is told, and may try again.
      if (error.retryAfterMs > times.longestPauseMs) throw error;
      waitMs = error.retryAfterMs;
    }
    onConnected(false);
    const pauseMs = Math.min(times.firstPauseMs * 2 ** failures, times.longestPauseMs);
    failures += 1;
    await pause(Math.max(pauseMs, waitMs), signal);
  }
}

/** Returns when the service ends the connection. */
async function readOnce(
  settings: StreamSettings,
  lastEventId: string | undefined,
  silenceMs: number,
  onFrame: StreamSettings['onFrame'],
): Promise<void> {
  const silence = new AbortController();
  const signal = AbortSignal.any([settings.signal, silence.signal]);
  // Also one that is silent before its first byte is tried again, as one that gives no answer.
  const giveUp = (): void => silence.abort(noAnswer());
  let timer = setTimeout(giveUp, silenceMs);
  const headers = new Headers(await settings.headers());
  headers.set('Accept', 'text/event-stream');
  if (lastEventId !== undefined) headers.set('Last-Event-ID', lastEventId);
  const parser = createParser({
    onEvent: ({ event = 'message', id, data }) => onFrame({ event, data: JSON.parse(data) as unknown }, id),
  });
  try {
    const response = await reach(settings.url, { headers, credentials: 'omit', cache: 'no-store', signal });
    if (!response.ok || response.body === null) throw await refusalOf(response);
    settings.onConnected(true);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read().catch(ended);
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(giveUp, silenceMs);
      parser.feed(value);
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** A connection that breaks is one that has ended: another one goes on behind its last frame. */
function ended(): { readonly done: true; readonly value: undefined } {
  return { done: true, value: undefined };
}

function isForbidden({ event, data }: StreamFrame): boolean {
  return event === 'close' && (data as { readonly reason?: string }).reason === 'forbidden';
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
