import { Fifo } from './fifo.js';
import { nameOf, RecentEvent } from './recent-event.js';
import type { OrderedFact } from './stored-order.js';
import type { StreamPosition } from './stream-position.js';

/** Of all events together, so that a flood of one site shortens what is kept of all, and nothing else. */
const MAX_BYTES = 32 * 1024 * 1024;

/** What an open stream learns of its site's events. */
export interface SiteReader {
  /** The oldest event is about to go. */
  forgotten(number: number): void;
}

/** Frames of consecutive events, which readers that want the same share. */
export interface Chunk {
  readonly frames: Buffer;
  /** The number of the event behind them. */
  readonly end: number;
  readonly position: StreamPosition;
  /** Whether the position is behind the reader's beginning in every partition. */
  readonly isBehindBeginning: boolean;
}

/** Chunks are of 64 KiB and a frame at most: 8 MiB. */
const SHARED_CHUNKS = 64;

/** The latest chunks of all sites: a thousand readers that want the same are written the same bytes. */
class SharedChunks {
  private readonly chunks = new Map<string, { readonly to: number; readonly chunk: Chunk }>();
  private names = 0;

  /** A site that is forgotten and comes back counts its events anew. */
  newName(): string {
    this.names += 1;
    return String(this.names);
  }

  /** @param to the number behind the newest event, to which the chunk may not have come */
  of(key: string, to: number, gather: () => Chunk): Chunk {
    const known = this.chunks.get(key);
    if (known !== undefined && (known.to === to || known.chunk.end < known.to)) return known.chunk;
    const chunk = gather();
    if (this.chunks.size >= SHARED_CHUNKS) this.chunks.clear();
    this.chunks.set(key, { to, chunk });
    return chunk;
  }
}

/** The recent events of a site, in the order in which they were stored, and who reads them. */
export class SiteEvents<Reader extends SiteReader> {
  readonly events = new Fifo<RecentEvent>();
  readonly readers = new Set<Reader>();
  private readonly name: string;
  private addedBytes = 0;
  private readonly bytesBefore = new Fifo<number>();

  constructor(
    readonly siteId: string,
    private readonly chunks: SharedChunks,
  ) {
    this.name = chunks.newName();
  }

  add(event: RecentEvent): void {
    this.events.push(event);
    this.bytesBefore.push(this.addedBytes);
    this.addedBytes += event.bytes;
  }

  /** Of the events from that number on. */
  bytesFrom(number: number): number {
    return this.addedBytes - (this.bytesBefore.at(number) ?? this.addedBytes);
  }

  /** The chunk from a number on, of those who want the same. */
  chunk(wish: string, from: number, gather: () => Chunk): Chunk {
    if (this.readers.size === 1) return gather();
    return this.chunks.of(`${this.name} ${from} ${wish}`, this.events.end, gather);
  }

  /** @returns the bytes that are free now */
  forgetOldest(): number {
    const event = this.events.at(this.events.first);
    if (event === undefined) return 0;
    for (const reader of this.readers) reader.forgotten(this.events.first);
    this.events.shift();
    this.bytesBefore.shift();
    return event.bytes;
  }

  get isUseless(): boolean {
    return this.readers.size === 0 && this.events.first === this.events.end;
  }
}

/** The newest events of all sites, up to a bound of memory. */
export class RecentEvents<Reader extends SiteReader> {
  private readonly sites = new Map<string, SiteEvents<Reader>>();
  private readonly order = new Fifo<SiteEvents<Reader>>();
  /** Facts are told at least once, and a reader gets each event once. */
  private readonly names = new Set<string>();
  /** All events from here on are held. */
  private readonly begins: number[] = [];
  private heldBytes = 0;
  private readonly chunks = new SharedChunks();

  /** @param starts where reading began */
  constructor(
    starts: ReadonlyMap<number, number>,
    private readonly maxBytes = MAX_BYTES,
    /** An event that was stored longer ago is published again: those who followed then have had it. */
    private readonly keptMs = Infinity,
  ) {
    for (const [partition, offset] of starts) this.beginAt(partition, offset);
  }

  get bytes(): number {
    return this.heldBytes;
  }

  /** @returns the site whose readers have something to read; undefined for an event that is told again */
  add(fact: OrderedFact, nowMs: number): SiteEvents<Reader> | undefined {
    if (this.names.has(nameOf(fact)) || nowMs - Date.parse(fact.receivedAt) > this.keptMs) return undefined;
    const event = new RecentEvent(fact, nowMs);
    this.names.add(event.name);
    const site = this.of(fact.siteId);
    site.add(event);
    this.order.push(site);
    this.heldBytes += event.bytes;
    while (this.heldBytes > this.maxBytes) this.forgetOldest();
    return site;
  }

  of(siteId: string): SiteEvents<Reader> {
    const site = this.sites.get(siteId) ?? new SiteEvents<Reader>(siteId, this.chunks);
    this.sites.set(siteId, site);
    return site;
  }

  /** Events older than that go, whatever room there is. */
  forgetUntil(sentMs: number): void {
    for (;;) {
      const oldest = this.order.at(this.order.first);
      const event = oldest?.events.at(oldest.events.first);
      if (event === undefined || event.sentMs >= sentMs) return;
      this.forgetOldest();
    }
  }

  leave(site: SiteEvents<Reader>, reader: Reader): void {
    site.readers.delete(reader);
    if (site.isUseless) this.sites.delete(site.siteId);
  }

  /** Whether nothing behind the position is missing. */
  covers(position: StreamPosition): boolean {
    return this.begins.every((offset, partition) => (position[partition] ?? 0) >= offset);
  }

  private forgetOldest(): void {
    const site = this.order.shift();
    const event = site?.events.at(site.events.first);
    if (site === undefined || event === undefined) return;
    this.heldBytes -= site.forgetOldest();
    this.names.delete(event.name);
    this.beginAt(event.partition, event.offset + 1);
    if (site.isUseless) this.sites.delete(site.siteId);
  }

  private beginAt(partition: number, offset: number): void {
    while (this.begins.length < partition) this.begins.push(0);
    this.begins[partition] = offset;
  }
}
