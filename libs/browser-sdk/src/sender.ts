import {
  BATCH_ITEMS,
  BATCH_BYTES,
  BEACON_BYTES,
  BACKOFF_BASE_MS,
  BACKOFF_MAX_MS,
  MAX_ATTEMPTS,
  JITTER_AFTER_SILENCE_MS,
  LONGEST_PAUSE_MS,
  USABLE_TOKEN_MS,
  TOKEN_MS,
  CLOCK_TOLERANCE_MS,
} from './limits.js';
import {
  errorOf,
  type ItemResult,
  judgeAnswer,
  PAUSE,
  REFUSED,
  type Reply,
  RESULTS,
  RETRY,
  SPLIT,
  TOKEN,
  type Verdict,
} from './judge-answer.js';
import type { Outbox, Waiting } from './outbox.js';
import type { Platform } from './platform.js';
import type { Requests } from './requests.js';
import type { Store } from './store.js';
import type { EventProof, Options, SdkError } from './types.js';

export interface SenderParts {
  readonly platform: Platform;
  readonly store: Store;
  readonly outbox: Outbox;
  readonly network: Requests;
  /** Its endpoint does not end with a slash. */
  readonly options: Options;
  /** Of its locks, and of every key in the browser's storage. */
  readonly prefix: string;
  readonly settle: (proof: EventProof) => void;
  readonly report: (error: SdkError) => void;
  /** Called when a sending has ended, whatever it came to. */
  readonly rested: () => void;
}

export interface Sender {
  /** Sends after the delay, or when backoff and silence allow it. */
  wake(delayMs: number): void;
  /** Sends now, whatever the backoff; resolves when nothing waits or the service cannot take it now. */
  sendNow(): Promise<void>;
  /** Hands what waits to the browser, for after the page. A hint: it stays in the outbox. */
  sendBeacons(): void;
  /** A request with the site's token, which is asked for first where none is known. */
  /** @param body of a POST; called when the token, and with it the server's clock, is known */
  ask(path: string, body?: () => string): Promise<Asked>;
  /** By the server's clock; milliseconds by this one while the difference is not known: it may be set right before it is. */
  timeNow(): string | number;
  /** Milliseconds that the server's clock is ahead of this one; 0 for what a request's way may take. */
  serverAheadMs(): number;
  /** Tells the page of a request that the service has refused. */
  refused(reply: Reply): void;
  pausedUntil(): number;
  /** Whether the service cannot take what waits now: silence is asked for, or all attempts are used up. */
  isStuck(): boolean;
  /** Aborted by `stop`. */
  readonly ended: AbortSignal;
  /** Nothing is sent any more, and what is under way is ended. */
  stop(): void;
}

export interface Asked {
  readonly verdict: Verdict;
  /** Absent when the sender was closed meanwhile. */
  readonly reply?: Reply;
}

/** Keys of the store. */
const PAUSED_UNTIL = 'pause';
const TOKEN_PARTS = 'token';
const NO: Verdict = { kind: REFUSED, waitMs: 0 };

/** Empties the outbox of a site, one batch at a time. */
export function createSender(parts: SenderParts): Sender {
  const { platform, store, outbox, network, prefix, options, settle, report, rested } = parts;
  const { siteId, endpoint } = options;
  let timerAtMs = Infinity;
  let notBeforeMs = 0;
  let failures = 0;
  /** A small limit has no hour that can hold a whole batch: after a silence each page begins with one item. */
  let items = pausedUntil() ? 1 : BATCH_ITEMS;
  const closing = new AbortController();
  const ended = closing.signal;
  let running: Promise<void> | undefined;
  const handedOver = new Set<string>();

  /** 0 for one that is longer than any: this clock was set back since. */
  function pausedUntil(): number {
    const untilMs = Number(store.read(PAUSED_UNTIL));
    return untilMs < platform.clock() + LONGEST_PAUSE_MS ? untilMs : 0;
  }

  function wake(delayMs: number): void {
    const nowMs = platform.clock();
    const atMs = Math.max(nowMs + delayMs, notBeforeMs, pausedUntil());
    if (timerAtMs <= atMs) return;
    timerAtMs = atMs;
    platform.setTimer(() => {
      // An earlier one has taken its place.
      if (timerAtMs !== atMs) return;
      timerAtMs = Infinity;
      // What is under way may be the last attempt: something has happened, so that another one follows.
      if (running) return wake(BACKOFF_MAX_MS);
      void run();
    }, atMs - nowMs);
  }

  function run(): Promise<void> {
    const end = (): void => {
      running = undefined;
      rested();
    };
    // A lock that the browser refuses (the page is going) is asked for again by the next event.
    running ??= platform.withLock(`${prefix}lock`, drain).then(end, end);
    return running;
  }

  async function drain(): Promise<void> {
    let hasNewToken = false;
    while (!ended.aborted) {
      if (pausedUntil() > platform.clock()) return wake(0);
      const batch = outbox.next(items, BATCH_BYTES);
      if (!batch.length) return;
      const { verdict, reply } = await ask('/events/batch', () => `{${eventsOf(batch)}`);
      if (ended.aborted) return;
      // A second refusal of a token means the site or the origin, and not the token.
      const isToken = verdict.kind === TOKEN;
      if (!follow(isToken && hasNewToken ? NO : verdict, batch, reply)) return;
      hasNewToken = isToken;
    }
  }

  async function ask(path: string, body?: () => string): Promise<Asked> {
    let token = knownToken();
    if (!token) {
      const reply = await network.exchange('/runtime/tokens', ended, platform.toJson({ site_id: siteId }));
      const { token: given, expires_at } = reply.data;
      if (!given) {
        const verdict = judgeAnswer(reply, platform.clock());
        return { verdict: verdict.kind > TOKEN ? verdict : NO, reply };
      }
      token = given as string;
      const nowMs = platform.clock();
      const aheadMs = Date.parse(expires_at as string) - nowMs - TOKEN_MS;
      store.write(TOKEN_PARTS, `${nowMs} ${given} ${aheadMs}`);
    }
    if (ended.aborted) return { verdict: NO };
    const reply = await network.exchange(path, ended, body?.(), {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
    });
    const verdict = judgeAnswer(reply, platform.clock());
    if (verdict.kind === TOKEN) store.forget(TOKEN_PARTS);
    return { verdict, reply };
  }

  /** @returns whether to go on at once */
  function follow(verdict: Verdict, batch: readonly Waiting[], reply: Reply | undefined): boolean {
    switch (verdict.kind) {
      case RESULTS:
        return takeResults(batch, reply) || backOff(0);
      case RETRY:
        return backOff(verdict.waitMs);
      case PAUSE: {
        const untilMs = platform.clock() + verdict.waitMs + platform.chance() * JITTER_AFTER_SILENCE_MS;
        store.write(PAUSED_UNTIL, String(untilMs));
        items = 1;
        wake(0);
        return false;
      }
      case TOKEN:
        return true;
      case SPLIT:
        if (batch[0] && batch.length === 1) fail(batch[0], errorOf(reply));
        items = Math.ceil(batch.length / 2);
        return true;
      case REFUSED:
        store.forget(TOKEN_PARTS);
        failures = MAX_ATTEMPTS;
        notBeforeMs = platform.clock() + BACKOFF_MAX_MS;
        report(errorOf(reply));
        return false;
    }
  }

  /** @returns whether every item is settled */
  function takeResults(batch: readonly Waiting[], reply: Reply | undefined): boolean {
    let settled = 0;
    // Without results something between us and the service has answered in its place.
    const results = (reply?.data['results'] ?? []) as readonly ItemResult[];
    for (const { index, status, event_id, timestamp, error } of results) {
      const item = batch[index];
      if (!item || (status === 'failed' && error?.retryable)) continue;
      settled++;
      if (status === 'failed') {
        fail(item, errorOf(reply, error));
        continue;
      }
      outbox.forget(item.key);
      settle({ client_event_id: item.id, status, event_id, timestamp, request_id: reply?.requestId });
    }
    if (settled) notBeforeMs = failures = 0;
    items = Math.min(BATCH_ITEMS, items * 2);
    return settled === batch.length;
  }

  function fail(item: Waiting, reason: SdkError): void {
    const error = { ...reason, client_event_id: item.id };
    outbox.forget(item.key);
    settle({ client_event_id: item.id, status: 'failed', error });
    report(error);
  }

  /** Exponential, with full jitter. */
  function backOff(atLeastMs: number): false {
    const longestMs = Math.min(BACKOFF_MAX_MS, BACKOFF_BASE_MS * 2 ** failures++);
    notBeforeMs = platform.clock() + Math.max(atLeastMs, platform.chance() * longestMs);
    if (failures < MAX_ATTEMPTS) wake(0);
    return false;
  }

  /** Since when it is known, the token, and how far the server's clock is ahead. */
  const tokenParts = (): readonly string[] => store.wordsOf(TOKEN_PARTS);

  function knownToken(): string | false | undefined {
    const [sinceMs, token] = tokenParts();
    const ageMs = platform.clock() - Number(sinceMs);
    // One of the future was stored before this clock was set back, as was its difference of clocks.
    return ageMs >= 0 && ageMs < USABLE_TOKEN_MS && token;
  }

  function serverAheadMs(): number {
    const aheadMs = Number(tokenParts()[2]);
    return Math.abs(aheadMs) > CLOCK_TOLERANCE_MS ? aheadMs : 0;
  }

  /**
   * The end of a request. Times by the server's clock: it refuses what is more than a day ahead. Those that were captured
   * before the difference was known are numbers yet.
   */
  function eventsOf(batch: readonly Waiting[]): string {
    const aheadMs = serverAheadMs();
    const texts = batch.map(({ text }) =>
      text.replace(
        // What is no time of a clock stays for the service to refuse: a script of the page may have written it.
        /("occurred_at":)(\d*)/,
        (_, name, at) => name + (at && at < 1e15 ? `"${new Date(Number(at) + aheadMs).toISOString()}"` : at),
      ),
    );
    return `"events":[${texts.join(',')}]}`;
  }

  return {
    ended,
    timeNow() {
      const nowMs = platform.clock();
      return knownToken() ? new Date(nowMs + serverAheadMs()).toISOString() : nowMs;
    },
    wake,
    ask,
    serverAheadMs,
    refused: (reply) => report(errorOf(reply)),
    pausedUntil,
    isStuck: () => failures >= MAX_ATTEMPTS || pausedUntil() > platform.clock(),
    async sendNow() {
      notBeforeMs = failures = 0;
      await running;
      await run();
    },
    sendBeacons() {
      const token = knownToken();
      if (!token || pausedUntil() > platform.clock()) return;
      for (const key of handedOver) if (!store.read(key)) handedOver.delete(key);
      for (;;) {
        const batch = outbox.next(BATCH_ITEMS, BEACON_BYTES, handedOver);
        if (!batch.length) return;
        const text = `{"runtime_token":${platform.toJson(token)},${eventsOf(batch)}`;
        if (!platform.beacon?.(`${endpoint}/events/batch`, text)) return;
        for (const { key } of batch) handedOver.add(key);
      }
    },
    stop: () => closing.abort(),
  };
}
