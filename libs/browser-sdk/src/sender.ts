import { dataOf, errorOf, type ItemResult, judgeAnswer, type Verdict } from './judge-answer.js';
import type { Outbox, Waiting } from './outbox.js';
import type { Platform } from './platform.js';
import type { Reply, Requests } from './requests.js';
import type { Store } from './store.js';
import type { EventProof, SdkError } from './types.js';

export interface SenderParts {
  readonly platform: Platform;
  readonly store: Store;
  readonly outbox: Outbox;
  readonly requests: Requests;
  readonly siteId: string;
  readonly endpoint: string;
  /** Of every key in the store. */
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
  pausedUntil(): number;
  /** Whether the service cannot take what waits now: silence is asked for, or all attempts are used up. */
  isStuck(): boolean;
  /** Nothing is sent any more, and what is under way is ended. */
  close(): void;
}

const BATCH_ITEMS = 100;
/** Far below the 1 MiB of a request (interface page, section 1). */
const BATCH_BYTES = 256 * 1024;
/** Browsers give all beacons of a page about 64 KiB together, and the service takes no more of one. */
const BEACON_BYTES = 58 * 1024;
const BACKOFF_BASE_MS = 1000;
const BACKOFF_MAX_MS = 60_000;
/** Then it waits for the next event, the network, or the next visit. */
const MAX_ATTEMPTS = 8;
const JITTER_AFTER_SILENCE_MS = 2000;
const TOKEN_MARGIN_MS = 60_000;
const MS_PER_SECOND = 1000;

/** Empties the outbox of a site, one batch at a time. */
export function createSender(parts: SenderParts): Sender {
  const { platform, store, outbox, requests, prefix, siteId, endpoint, settle, report, rested } = parts;
  const pauseKey = `${prefix}pause`;
  const tokenKey = `${prefix}token`;
  let timer: unknown;
  let timerAtMs = Infinity;
  let notBeforeMs = 0;
  let failures = 0;
  let items = BATCH_ITEMS;
  let isClosed = false;
  let running: Promise<void> | undefined;
  const handedOver = new Set<string>();

  const pausedUntil = (): number => Number(store.get(pauseKey)) || 0;

  function wake(delayMs: number): void {
    const nowMs = platform.now();
    const atMs = Math.max(nowMs + delayMs, notBeforeMs, pausedUntil());
    if (isClosed || timerAtMs <= atMs) return;
    platform.clearTimer(timer);
    timerAtMs = atMs;
    timer = platform.setTimer(() => {
      timerAtMs = Infinity;
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
    while (!isClosed) {
      if (pausedUntil() > platform.now()) return wake(0);
      const batch = outbox.next({ items, bytes: BATCH_BYTES });
      if (batch.length === 0) return;
      const { verdict, reply } = await attempt(batch);
      if (isClosed) return;
      // A second refusal of a token means the site or the origin, and not the token.
      const isRefusedAgain = verdict.kind === 'new-token' && hasNewToken;
      hasNewToken = verdict.kind === 'new-token';
      if (!follow(isRefusedAgain ? { kind: 'refused' } : verdict, batch, reply)) return;
    }
  }

  async function attempt(batch: readonly Waiting[]): Promise<{ verdict: Verdict; reply: Reply | undefined }> {
    let token = knownToken();
    if (token === undefined) {
      const reply = await requests.post('/runtime/tokens', platform.stringify({ site_id: siteId }));
      const { token: given, expires_in } = dataOf(reply.body);
      if (typeof given !== 'string') {
        const verdict = judgeAnswer(reply, platform.now());
        const isPassing = verdict.kind === 'again' || verdict.kind === 'silence';
        return { verdict: isPassing ? verdict : { kind: 'refused' }, reply };
      }
      token = given;
      // By the time that it lasts, because this clock may be wrong.
      const untilMs = platform.now() + Number(expires_in) * MS_PER_SECOND - TOKEN_MARGIN_MS;
      if (!isClosed) store.set(tokenKey, `${untilMs} ${given}`);
    }
    if (isClosed) return { verdict: { kind: 'refused' }, reply: undefined };
    const reply = await requests.post('/events/batch', `{"events":${listOf(batch)}}`, {
      Authorization: `Bearer ${token}`,
    });
    return { verdict: judgeAnswer(reply, platform.now()), reply };
  }

  /** @returns whether to go on at once */
  function follow(verdict: Verdict, batch: readonly Waiting[], reply: Reply | undefined): boolean {
    switch (verdict.kind) {
      case 'answered':
        return takeResults(verdict.results, batch, reply) || backOff(0);
      case 'again':
        return backOff(verdict.afterMs);
      case 'silence': {
        const untilMs = platform.now() + verdict.forMs + platform.random() * JITTER_AFTER_SILENCE_MS;
        store.set(pauseKey, String(Math.ceil(untilMs)));
        wake(0);
        return false;
      }
      case 'new-token':
        store.remove(tokenKey);
        return true;
      case 'split':
        if (batch[0] !== undefined && batch.length === 1)
          fail(batch[0], errorOf(reply?.body, reply?.status), reply);
        items = Math.ceil(batch.length / 2);
        return true;
      case 'refused':
        store.remove(tokenKey);
        failures = MAX_ATTEMPTS;
        notBeforeMs = platform.now() + BACKOFF_MAX_MS;
        report({ ...errorOf(reply?.body, reply?.status), request_id: reply?.requestId });
        return false;
    }
  }

  /** @returns whether every item is settled */
  function takeResults(
    results: readonly ItemResult[],
    batch: readonly Waiting[],
    reply: Reply | undefined,
  ): boolean {
    let settled = 0;
    for (const { index, status, event_id, timestamp, error } of results) {
      const item = batch[index];
      if (item === undefined || (status === 'failed' && error?.retryable === true)) continue;
      settled += 1;
      if (status === 'failed') {
        fail(item, errorOf({ error }, reply?.status), reply);
        continue;
      }
      outbox.remove(item.key);
      settle({ client_event_id: item.id, status, event_id, timestamp, request_id: reply?.requestId });
    }
    if (settled > 0) failures = 0;
    items = Math.min(BATCH_ITEMS, items * 2);
    return settled === batch.length;
  }

  function fail(item: Waiting, reason: SdkError, reply: Reply | undefined): void {
    const error = { ...reason, client_event_id: item.id, request_id: reply?.requestId };
    outbox.remove(item.key);
    settle({ client_event_id: item.id, status: 'failed', error });
    report(error);
  }

  /** Exponential, with full jitter. */
  function backOff(atLeastMs: number): false {
    failures += 1;
    const longestMs = Math.min(BACKOFF_MAX_MS, BACKOFF_BASE_MS * 2 ** (failures - 1));
    const isLast = failures >= MAX_ATTEMPTS;
    notBeforeMs = platform.now() + Math.max(atLeastMs, isLast ? longestMs : platform.random() * longestMs);
    if (!isLast) wake(0);
    return false;
  }

  function knownToken(): string | undefined {
    const [untilMs, token] = (store.get(tokenKey) ?? '').split(' ');
    return Number(untilMs) > platform.now() ? token : undefined;
  }

  return {
    wake,
    pausedUntil,
    isStuck: () => failures >= MAX_ATTEMPTS || pausedUntil() > platform.now(),
    async sendNow() {
      notBeforeMs = 0;
      failures = 0;
      await running;
      await run();
    },
    sendBeacons() {
      const token = knownToken();
      if (token === undefined || isClosed || pausedUntil() > platform.now()) return;
      for (;;) {
        const batch = outbox.next({ items: BATCH_ITEMS, bytes: BEACON_BYTES }, handedOver);
        if (batch.length === 0) return;
        const text = `{"runtime_token":${platform.stringify(token)},"events":${listOf(batch)}}`;
        if (!platform.sendBeacon(`${endpoint}/events/batch`, text)) return;
        for (const { key } of batch) handedOver.add(key);
      }
    },
    close() {
      isClosed = true;
      platform.clearTimer(timer);
      requests.abort();
    },
  };
}

function listOf(batch: readonly Waiting[]): string {
  return `[${batch.map(({ text }) => text).join(',')}]`;
}
