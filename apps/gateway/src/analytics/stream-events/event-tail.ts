import { setTimeout as delay } from 'node:timers/promises';
import { TOPICS } from '@truetally/contracts/topics';
import { type Messaging, type TailRecord, TopicTail } from '@truetally/messaging';
import type { Logger } from '@truetally/platform';
import type { EventStream } from './event-stream.js';
import { RecentEvents, type SiteEvents } from './recent-events.js';
import { type ReadFact, StoredOrder } from './stored-order.js';
import type { StreamPosition } from './stream-position.js';

export interface EventTailParts {
  readonly messaging: Messaging;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Every stream has to end: its position means nothing any more. */
  readonly onReplaced: () => void;
}

type Recent = RecentEvents<EventStream>;

/** Interface page, section 9: how long a stream can be resumed. */
export const RESUMED_MS = 600_000;
/** What was sent at the end of that time was stored a little earlier. */
const KEPT_MS = RESUMED_MS + 60_000;
/** Of those that were stored before the first stream: what could be kept at all, if all were small. */
const MOST_PER_PARTITION = 8_000;
/** Of facts that wait for those before them; beyond it they are handed out in the order in which they were read. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;
const TICK_MS = 50;
const START_TIMEOUT_MS = 60_000;
const EVENT_ID = Buffer.from('"event_id":"');
const RECEIVED_AT = Buffer.from('"received_at":"');
const INSTANT_CHARACTERS = 24;
const UUID_CHARACTERS = 36;

/**
 * Follows `events.stored.v1` for the live streams of this gateway (docs/decisions/live-stream.md): it begins with the first
 * stream, at what was stored in the minutes before, and ends when none was open for as long.
 */
export class EventTail {
  private running: Running | undefined;
  private streams = 0;
  private unusedSinceMs = 0;
  private asking: Promise<StreamPosition> | undefined;
  private askingNext: Promise<StreamPosition> | undefined;

  constructor(private readonly parts: EventTailParts) {}

  /**
   * The recent events, when those are read that were stored before. Each call that succeeds needs a `leave`.
   * @throws Error when they cannot be read within the time
   */
  async join(timeoutMs: number): Promise<Recent> {
    this.streams += 1;
    const waiting = new AbortController();
    try {
      const late = delay(timeoutMs, undefined, { signal: waiting.signal }).then(() => undefined);
      const running = this.run();
      const recent = await Promise.race([running.opened.then(() => running.recent), late]);
      if (recent === undefined) throw new Error('The newest events are not read yet.');
      return recent;
    } catch (error) {
      this.leave();
      throw error;
    } finally {
      waiting.abort();
    }
  }

  leave(): void {
    this.streams -= 1;
    this.unusedSinceMs = performance.now();
  }

  /**
   * What will be stored from now on is behind it. Callers that come while Kafka is being asked share the next question.
   * @throws Error when Kafka cannot be asked
   */
  end(): Promise<StreamPosition> {
    this.askingNext ??= (this.asking ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        this.asking = this.askingNext;
        this.askingNext = undefined;
        return this.askEnd();
      });
    return this.askingNext;
  }

  async close(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    await running?.close();
  }

  private async askEnd(): Promise<StreamPosition> {
    const ends = await TopicTail.ends(this.parts.messaging, TOPICS.eventsStored.name);
    return Array.from(
      { length: Math.max(0, ...ends.keys()) + 1 },
      (_, partition) => ends.get(partition) ?? 0,
    );
  }

  private run(): Running {
    if (this.running !== undefined) return this.running;
    const { messaging, log, onReplaced } = this.parts;
    const running = new Running(messaging, {
      onReplaced: () => {
        log.warn({}, 'The log of stored events was replaced; live streams are ended.');
        onReplaced();
        void this.close();
      },
      onTick: () => {
        if (this.streams === 0 && performance.now() - this.unusedSinceMs > KEPT_MS) void this.close();
      },
    });
    this.running = running;
    running.opened.catch((error: unknown) => {
      if (this.running === running) this.running = undefined;
      log.warn({ err: error }, 'Stored events cannot be followed; live streams are refused.');
    });
    return running;
  }
}

interface RunningHooks {
  readonly onReplaced: () => void;
  readonly onTick: () => void;
}

/** One run of the tail, from its beginning to its end. */
class Running {
  /** Resolves when everything is read that was stored before. */
  readonly opened: Promise<void>;
  recent: Recent = new RecentEvents(new Map());
  private readonly closing = new AbortController();
  private order = new StoredOrder(new Map());
  private tail: TopicTail | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly messaging: Messaging,
    private readonly hooks: RunningHooks,
  ) {
    this.opened = this.open();
  }

  async close(): Promise<void> {
    this.closing.abort();
    clearInterval(this.timer);
    await this.tail?.close();
  }

  private async open(): Promise<void> {
    this.tail = await TopicTail.open(
      this.messaging,
      {
        topic: TOPICS.eventsStored.name,
        sinceMs: KEPT_MS,
        mostPerPartition: MOST_PER_PARTITION,
        onStart: (starts) => {
          this.order = new StoredOrder(starts);
          this.recent = new RecentEvents(starts, undefined, KEPT_MS);
        },
        onRecords: (records) => {
          const nowMs = performance.now();
          for (const record of records) this.order.add(factOf(record), nowMs);
          if (this.order.bytes > MOST_WAITING_BYTES) this.handOut(0);
        },
        onReplaced: this.hooks.onReplaced,
      },
      AbortSignal.any([this.closing.signal, AbortSignal.timeout(START_TIMEOUT_MS)]),
    );
    this.handOut(0);
    this.timer = setInterval(() => {
      this.handOut();
      this.hooks.onTick();
    }, TICK_MS);
  }

  private handOut(waitMs?: number): void {
    const facts = this.order.take(performance.now(), waitMs);
    const nowMs = Date.now();
    const sites = new Set<SiteEvents<EventStream>>();
    for (const fact of facts) {
      const site = this.recent.add(fact, nowMs);
      if (site !== undefined) sites.add(site);
    }
    for (const { readers } of sites) for (const reader of readers) reader.goOn(false);
    this.recent.forgetUntil(nowMs - KEPT_MS);
  }
}

/** The record's key begins with the site, and no text of a client can hold the name of a field with its quotes. */
function factOf({ partition, offset, key, value }: TailRecord): ReadFact {
  const receivedAt = textAfter(RECEIVED_AT, value, INSTANT_CHARACTERS);
  const eventId = textAfter(EVENT_ID, value, UUID_CHARACTERS);
  // A copy: the record is a part of what was fetched with it, which would stay in memory with it.
  const siteId = key.slice(0, UUID_CHARACTERS);
  return { partition, offset, siteId, receivedAt, eventId, value: Buffer.from(value) };
}

function textAfter(name: Buffer, value: Buffer, characters: number): string {
  const found = value.indexOf(name);
  const begin = found + name.length;
  return found < 0 ? '' : value.toString('latin1', begin, begin + characters);
}
