import { setTimeout as delay } from 'node:timers/promises';
import type { AskEvents } from '@truetally/contracts/analytics';
import { formatInstant } from '@truetally/kernel';
import type { Logger } from '@truetally/platform';
import type { Exchange } from '../../http/exchange.js';
import type { RefusalName } from '../../http/errors.js';
import { EVENT_STREAM, beginStream, refuse } from '../../http/respond.js';
import { EventStream } from './event-stream.js';
import { type EventTail, RESUMED_MS } from './event-tail.js';
import type { OpenStreams, StreamPlace } from './open-streams.js';
import type { SharedPlace, SharedPlaces } from './shared-places.js';
import type { RecentEvents } from './recent-events.js';
import { isWithin, type PositionIds, type StreamPosition } from './stream-position.js';

/** A client waits for its first frame as long as for any answer. */
const READY_TIMEOUT_MS = 10_000;
/** Facts are published behind the answers: an event answered before the request is not one of the stream. */
const PUBLISHED_MS = 250;

export interface StreamOpenerParts {
  readonly tail: EventTail;
  readonly streams: OpenStreams;
  readonly places: SharedPlaces;
  readonly ids: PositionIds;
  readonly log: Pick<Logger, 'warn'>;
}

interface Beginning {
  readonly position: StreamPosition;
  readonly resumed: boolean;
}

/** Stored events as they come, for readers of `text/event-stream` (interface page, section 9, "Live stream"). */
export class StreamOpener {
  constructor(private readonly parts: StreamOpenerParts) {}

  /** @param asked by a caller who may read the site */
  async open(exchange: Exchange, asked: AskEvents): Promise<void> {
    const { streams, places, tail, log } = this.parts;
    if (exchange.request.method === 'HEAD') return void (beginStream(exchange) && exchange.outgoing.end());
    const place = streams.take(exchange.callerWithLimit());
    if (typeof place === 'string') return refuse(exchange, place);
    const shared = await this.sharedPlace(place);
    if (typeof shared === 'string') {
      streams.giveBack(place);
      return refuse(exchange, shared);
    }
    const giveBack = (): void => {
      streams.giveBack(place);
      void places.giveBack(shared);
    };
    let recent: RecentEvents<EventStream>;
    try {
      recent = await tail.join(READY_TIMEOUT_MS);
    } catch {
      giveBack();
      return refuse(exchange, 'unavailable');
    }
    const leave = (): void => {
      giveBack();
      tail.leave();
    };
    let beginning: Beginning;
    try {
      beginning = await this.beginningOf(exchange, asked.site_id, recent);
    } catch (error) {
      log.warn({ err: error }, 'Kafka cannot be asked where a live stream begins; it is refused.');
      leave();
      return refuse(exchange, 'unavailable');
    }
    if (!beginStream(exchange)) return leave();
    this.begin({ exchange, asked, place, recent, beginning, leave });
  }

  /** Among those of all gateways. @returns why there is none */
  private async sharedPlace({ name }: StreamPlace): Promise<SharedPlace | RefusalName> {
    try {
      return (await this.parts.places.take(name)) ?? 'streams-exceeded';
    } catch (error) {
      this.parts.log.warn({ err: error }, 'Live streams cannot be counted; one is refused.');
      return 'unavailable';
    }
  }

  private begin({ exchange, asked, place, recent, beginning, leave }: Opening): void {
    const { streams, ids } = this.parts;
    const { outgoing: response } = exchange;
    const { event_type, session_id, request_id, event_ids } = asked;
    const nowMs = Date.now();
    const site = recent.of(asked.site_id);
    const stream = new EventStream({
      site,
      filter: { event_type, session_id, request_id, event_ids },
      position: beginning.position,
      ids,
      output: {
        write: (frames) => response.write(frames),
        end: (text) => void response.end(text),
      },
      onMissed: (count) => streams.countMissed(count),
    });
    stream.open(formatInstant(nowMs), beginning.resumed, nowMs);
    streams.watch({ exchange, stream, siteId: asked.site_id, place }, () => {
      recent.leave(site, stream);
      leave();
    });
    stream.goOn(false);
  }

  private async beginningOf(
    { request }: Exchange,
    siteId: string,
    recent: RecentEvents<EventStream>,
  ): Promise<Beginning> {
    const { tail, ids } = this.parts;
    const named = ids.read(siteId, String(request.headers['last-event-id'] ?? ''));
    const isKnown = named !== undefined && Date.now() - named.sentMs <= RESUMED_MS;
    if (!isKnown) await delay(PUBLISHED_MS);
    const end = await tail.end();
    const isHere = isKnown && isWithin(named.position, end) && recent.covers(named.position);
    return isHere ? { position: named.position, resumed: true } : { position: end, resumed: false };
  }
}

interface Opening {
  readonly exchange: Exchange;
  readonly asked: AskEvents;
  readonly place: StreamPlace;
  readonly recent: RecentEvents<EventStream>;
  readonly beginning: Beginning;
  readonly leave: () => void;
}

/** Whether a request asks for the stream: it names the media type, and not with a weight of 0. */
export function asksForStream(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === EVENT_STREAM && !parameters.some((one) => /^q=0(?:\.0{0,3})?$/.test(one));
  });
}
