import type { Metrics } from '@truetally/platform';
import type { Caller } from '../../credentials/caller.js';
import type { Exchange } from '../../http/exchange.js';
import type { RefusalName } from '../../http/errors.js';
import type { CloseReason, EventStream } from './event-stream.js';

/** Interface page, section 9. */
export const STREAM_LIMITS = { ofCaller: 10, inAll: 1_000 };
const COMMENT_MS = 15_000;
const CHECK_MS = 200;
/** A reader that takes nothing for this time is considered disconnected; it can resume. */
const SILENCE_MS = 120_000;
/** For the last frame of a reader that is slow. */
const ENDING_MS = 2_000;

/** A stream and whose it is. */
export interface OpenStream {
  readonly exchange: Exchange;
  readonly stream: EventStream;
  readonly siteId: string;
  readonly place: StreamPlace;
}

/** A place among the streams of this gateway and of its caller, from before it is opened. */
export interface StreamPlace {
  readonly caller: Caller;
  readonly name: string;
  /** Who answers for it. */
  readonly holders: readonly string[];
}

interface Watched extends OpenStream {
  commentMs: number;
  /** Since when its reader takes nothing. */
  blockedMs: number | undefined;
  /** The client sends nothing any more: whether it still reads, only writing tells. */
  isHalfClosed: boolean;
}

/** Who may read, and who answers for a reader: its workspace and the persons who own it. */
interface Readers {
  endOf(caller: Caller, siteId: string, nowMs: number): CloseReason | undefined;
  holdersOf(caller: Caller): readonly string[];
}

/** Every live stream of this gateway: how many there are, that each is alive, and when it has to end. */
export class OpenStreams {
  /** Of a caller, and of each who answers for some. */
  private readonly places = new Map<string, number>();
  private readonly open = new Set<Watched>();
  private readonly taken = new Set<StreamPlace>();
  private isDraining = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly closed;
  private readonly missed;

  constructor(
    private readonly readers: Readers,
    metrics: Metrics,
  ) {
    metrics.observed('live_streams', 'Live streams of events that are open.', () => this.open.size);
    this.closed = metrics.counter(
      'live_streams_closed_total',
      'Live streams that were ended, by the reason.',
      ['reason'],
    );
    this.missed = metrics.counter(
      'live_stream_missed_events_total',
      'Events that live streams did not send, because their readers were too slow.',
    );
  }

  /** @returns why there is none */
  take(caller: Caller): RefusalName | StreamPlace {
    const name = nameOf(caller);
    if (this.heldBy(name) >= STREAM_LIMITS.ofCaller) return 'streams-exceeded';
    if (this.isDraining) return 'unavailable';
    const holders = this.readers.holdersOf(caller).map((holder) => `holder:${holder}`);
    if (this.taken.size >= STREAM_LIMITS.inAll && !this.makeRoom(holders)) return 'no-stream-left';
    for (const one of [name, ...holders]) this.places.set(one, this.heldBy(one) + 1);
    const place = { caller, name, holders };
    this.taken.add(place);
    return place;
  }

  /** Once, however often it is called. */
  giveBack(place: StreamPlace): void {
    if (!this.taken.delete(place)) return;
    const { name, holders } = place;
    for (const one of [name, ...holders]) {
      const left = this.heldBy(one) - 1;
      if (left > 0) this.places.set(one, left);
      else this.places.delete(one);
    }
  }

  countMissed(count: number): void {
    this.missed.inc(count);
  }

  /** Watches a stream that has begun until its connection is closed, when `onClosed` is called. */
  watch(opened: OpenStream, onClosed: () => void): void {
    const { request, outgoing: response } = opened.exchange;
    const nowMs = performance.now();
    const watched: Watched = {
      ...opened,
      commentMs: nowMs + COMMENT_MS,
      blockedMs: undefined,
      isHalfClosed: false,
    };
    this.open.add(watched);
    this.timer ??= setInterval(() => this.check(), CHECK_MS);
    response.on('drain', () => opened.stream.goOn(true));
    request.socket.once('end', () => {
      watched.isHalfClosed = true;
    });
    response.once('close', () => {
      if (this.open.delete(watched)) this.closed.inc({ reason: 'left' });
      if (this.open.size === 0) {
        clearInterval(this.timer);
        this.timer = undefined;
      }
      onClosed();
    });
    if (this.isDraining) this.end(watched, 'draining');
  }

  /** From now on there are none: each is told so, and its connection closed. */
  drain(): void {
    this.isDraining = true;
    for (const watched of this.open) this.end(watched, 'draining');
  }

  /** Ends all without a word: their clients come back. */
  cut(): void {
    for (const { exchange } of this.open) exchange.response.destroy();
  }

  private heldBy(name: string): number {
    return this.places.get(name) ?? 0;
  }

  /** Ends the oldest stream of whoever answers for the most, for one who has fewer. */
  private makeRoom(holders: readonly string[]): boolean {
    const most = Math.max(...[...this.open].map(({ place }) => this.mostHeldBy(place.holders)));
    if (most <= this.mostHeldBy(holders) + 1) return false;
    for (const watched of this.open) {
      if (this.mostHeldBy(watched.place.holders) < most) continue;
      this.end(watched, 'draining');
      return true;
    }
    return false;
  }

  private mostHeldBy(holders: readonly string[]): number {
    return Math.max(...holders.map((holder) => this.heldBy(holder)));
  }

  private check(): void {
    const nowMs = performance.now();
    const wallMs = Date.now();
    for (const watched of this.open) {
      const reason = this.readers.endOf(watched.place.caller, watched.siteId, wallMs);
      if (reason === undefined) this.keepAlive(watched, nowMs);
      else this.end(watched, reason);
    }
  }

  private keepAlive(watched: Watched, nowMs: number): void {
    const { stream, exchange } = watched;
    if (nowMs >= watched.commentMs || watched.isHalfClosed) {
      watched.commentMs = nowMs + COMMENT_MS;
      stream.comment();
    }
    watched.blockedMs = stream.isWaiting ? (watched.blockedMs ?? nowMs) : undefined;
    if (watched.blockedMs === undefined || nowMs - watched.blockedMs < SILENCE_MS) return;
    this.open.delete(watched);
    this.closed.inc({ reason: 'silent' });
    exchange.response.destroy();
  }

  private end(watched: Watched, reason: CloseReason): void {
    if (!this.open.delete(watched)) return;
    this.closed.inc({ reason });
    // Not when its connection is closed: meanwhile further ones of its workspace would be ended instead of it.
    this.giveBack(watched.place);
    const { outgoing: response } = watched.exchange;
    watched.stream.close(reason, Date.now());
    setTimeout(() => response.destroy(), ENDING_MS).unref();
  }
}

/** A key by itself; a user by its name at the issuer, whatever its workspace. */
function nameOf(caller: Caller): string {
  return caller.kind === 'site' ? `key:${caller.keyId}` : `user:${caller.subject}`;
}
