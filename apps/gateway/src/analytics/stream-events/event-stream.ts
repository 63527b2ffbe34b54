import type { RecentEvent, StreamFilter } from './recent-event.js';
import type { Chunk, SiteEvents, SiteReader } from './recent-events.js';
import { laterOf, isWithin, type PositionIds, type StreamPosition } from './stream-position.js';

/** Why a stream is ended (interface page, section 9). */
export type CloseReason = 'draining' | 'expired' | 'forbidden';

/** Where frames go: a response. */
export interface FrameOutput {
  /** @returns false when the reader has to take something first; `goOn` of the stream follows */
  write(text: Buffer | string): boolean;
  end(text: string): void;
}

export interface EventStreamParts {
  readonly site: SiteEvents<EventStream>;
  readonly filter: StreamFilter;
  /** Where it begins. */
  readonly position: StreamPosition;
  readonly ids: PositionIds;
  readonly output: FrameOutput;
  readonly onMissed: (count: number) => void;
}

/** Written at once, before the reader is asked whether it follows. */
const CHUNK_CHARACTERS = 64 * 1024;
/** What may wait for a reader that takes nothing; beyond it everything that waits is passed over. */
export const WAITING_LIMITS = { events: 1_000, bytes: 2 * 1024 * 1024 };
const COMMENT = ':\n\n';

/**
 * One reader of a site's events. It has a place in the events that all readers share and no queue of its own, so that a slow one
 * costs the others nothing: what it cannot take in time it is told the number of.
 */
export class EventStream implements SiteReader {
  private next: number;
  /** Everything before it was recent when the stream began: a reader that resumes is not slow because there is much. */
  private readonly caughtUpAt: number;
  private position: StreamPosition;
  /** The positions of events are behind the one where it began in every partition: their ids can be shared. */
  private isBehindBeginning = false;
  private missed = 0;
  private isBlocked = false;
  /** Its last frame may have yet to be taken: what comes meanwhile is not for it. */
  private isClosed = false;
  private readonly filterKey: string;

  constructor(private readonly parts: EventStreamParts) {
    const { events } = parts.site;
    this.next = events.first;
    this.caughtUpAt = events.end;
    this.position = parts.position;
    this.filterKey = JSON.stringify(parts.filter);
    parts.site.readers.add(this);
  }

  /** The first frame of all. @param asOf ISO 8601 UTC */
  open(asOf: string, resumed: boolean, nowMs: number): void {
    this.write(frame('open', this.idAt(nowMs), JSON.stringify({ as_of: asOf, resumed })));
  }

  /** The reader has taken what was written, or there are new events. */
  goOn(hasTaken: boolean): void {
    if (this.isClosed) return;
    if (hasTaken) this.isBlocked = false;
    while (!this.isBlocked && (this.tellMissed() || this.writeSome()));
    if (this.isBlocked && this.isTooSlow()) this.passOver(this.parts.site.events.end);
  }

  comment(): void {
    if (!this.isBlocked) this.write(COMMENT);
  }

  close(reason: CloseReason, nowMs: number): void {
    this.isClosed = true;
    this.parts.output.end(frame('close', this.idAt(nowMs), JSON.stringify({ reason })));
  }

  /** Whether the reader has yet to take what was written. */
  get isWaiting(): boolean {
    return this.isBlocked;
  }

  forgotten(number: number): void {
    this.passOver(number + 1);
  }

  private tellMissed(): boolean {
    if (this.missed === 0) return false;
    const count = this.missed;
    this.missed = 0;
    this.parts.onMissed(count);
    const { events } = this.parts.site;
    const sentMs = events.at(this.next - 1)?.sentMs ?? Date.now();
    return this.write(frame('missed', this.idAt(sentMs), JSON.stringify({ count })));
  }

  /** @returns whether there may be more */
  private writeSome(): boolean {
    const { site } = this.parts;
    const gather = (): Chunk => this.gather();
    // Of all readers that want the same, the first one gathers it.
    const chunk = this.isBehindBeginning ? site.chunk(this.filterKey, this.next, gather) : gather();
    this.next = chunk.end;
    this.position = chunk.position;
    this.isBehindBeginning = chunk.isBehindBeginning;
    if (chunk.frames.length > 0) this.write(chunk.frames);
    return this.next < site.events.end;
  }

  private gather(): Chunk {
    const { site, filter } = this.parts;
    const { events } = site;
    let { next: end, position, isBehindBeginning } = this;
    let text = '';
    for (; end < events.end && text.length < CHUNK_CHARACTERS; end += 1) {
      const event = events.at(end);
      if (event?.isAfter(this.parts.position) !== true) continue;
      position = isBehindBeginning ? event.next : laterOf(this.parts.position, event.next);
      const data = event.matches(filter) ? event.data : undefined;
      if (data !== undefined) {
        const id = isBehindBeginning ? event.idFor(this.parts.ids) : this.idOf(position, event.sentMs);
        text += frame('stored', id, data);
      }
      isBehindBeginning ||= isWithin(this.parts.position, event.next);
    }
    return { frames: Buffer.from(text), end, position, isBehindBeginning };
  }

  private idAt(sentMs: number): string {
    return this.idOf(this.position, sentMs);
  }

  /** Of a reader that has had events which come later in this gateway's order: behind those, too. */
  private idOf(position: StreamPosition, sentMs: number): string {
    return this.parts.ids.write(this.parts.site.siteId, { position, sentMs });
  }

  private isTooSlow(): boolean {
    const { site } = this.parts;
    const from = Math.max(this.next, this.caughtUpAt);
    return site.events.end - from > WAITING_LIMITS.events || site.bytesFrom(from) > WAITING_LIMITS.bytes;
  }

  /** A thousand readers pass over a thousand events in one turn: the position behind the last of them is behind all. */
  private passOver(end: number): void {
    const { site, filter, position } = this.parts;
    let last: RecentEvent | undefined;
    for (; this.next < end; this.next += 1) {
      const event = site.events.at(this.next);
      if (event?.isAfter(position) !== true) continue;
      last = event;
      if (event.matches(filter)) this.missed += 1;
    }
    if (last !== undefined) this.position = laterOf(this.position, last.next);
  }

  private write(frames: Buffer | string): true {
    this.isBlocked = !this.parts.output.write(frames);
    return true;
  }
}

function frame(name: string, id: string, data: string): string {
  return `event: ${name}\nid: ${id}\ndata: ${data}\n\n`;
}
