import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { takeLock } from './lock-holder.js';

interface Kept {
  readonly id: string;
  readonly text: string;
}

/** Events in one file: a file goes when all of its events are settled. */
const SEGMENT_EVENTS = 1000;
const SEGMENT = /^events-(\d{15})\.ndjson$/;
const LOCK = 'lock';

const OPEN_FOLDERS: unique symbol = Symbol.for('truetally.outboxes');
/** Of this process and of all copies of the package in it: its id in a lock says nothing about a second client. */
const OPEN = ((globalThis as { [OPEN_FOLDERS]?: Set<string> })[OPEN_FOLDERS] ??= new Set());

/**
 * Keeps events on disk from `track` until the service has answered for them. Two files for each thousand events:
 * `events-<n>.ndjson`, a line each, and `events-<n>.settled`, an id each, as JSON: an id may hold a line end. A killed
 * process leaves at most one line that is not whole, of an event for which `track` had not returned. What was sent and
 * not yet noted is sent again, and the service answers that it has it.
 */
export class Outbox {
  private readonly segmentOf = new Map<string, number>();
  private readonly unsettledIn = new Map<number, number>();
  private readonly found: Kept[] = [];
  private current: number;
  private written = 0;
  private file: number;
  private isClosed = false;
  private isTorn = false;
  private readonly folder: string;

  /** @throws when another client or living process uses the folder, or it cannot be written */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.folder = realpathSync(folder);
    this.lock();
    try {
      const segments = this.segments();
      for (const segment of segments) this.read(segment);
      this.current = (segments.at(-1) ?? 0) + 1;
      this.file = this.open(this.current);
    } catch (error) {
      // Else this process itself would be in the way of its next attempt.
      this.unlock();
      throw error;
    }
  }

  /** What earlier processes have left, oldest first. */
  unsettled(): readonly Kept[] {
    return this.found;
  }

  /** Returns when the system has the event: it survives this process, and not a loss of power. */
  add(id: string, text: string): void {
    // The same event once more: the first line stands for both.
    if (this.segmentOf.has(id)) return;
    if (this.written >= SEGMENT_EVENTS) this.nextSegment();
    // What a full disk left of an earlier line must not take this one with it.
    const line = `${this.isTorn ? '\n' : ''}${JSON.stringify([id, text])}\n`;
    this.isTorn = true;
    if (writeSync(this.file, line) < Buffer.byteLength(line)) throw new Error('The disk is full.');
    this.isTorn = false;
    this.written += 1;
    this.note(id, this.current);
  }

  /** Never throws: an event whose line cannot be written is sent once more, and the service answers that it has it. */
  settle(id: string): void {
    const segment = this.segmentOf.get(id);
    // Afterwards the folder may be another one's.
    if (segment === undefined || this.isClosed) return;
    this.segmentOf.delete(id);
    const left = (this.unsettledIn.get(segment) ?? 1) - 1;
    this.unsettledIn.set(segment, left);
    try {
      if (left === 0 && segment !== this.current) this.remove(segment);
      else appendFileSync(this.settledPath(segment), `${JSON.stringify(id)}\n`);
    } catch {
      // The disk is full or the folder has gone: the next `add` says so to its caller.
    }
  }

  /** Never throws: what cannot be removed is read by the next start, and what is settled of it is not sent again. */
  close(): void {
    this.isClosed = true;
    const isSettled = this.unsettledIn.get(this.current) === 0 || this.written === 0;
    const steps = [
      () => fsyncSync(this.file),
      () => closeSync(this.file),
      () => isSettled && this.remove(this.current),
      () => this.unlock(),
    ];
    for (const step of steps) {
      try {
        step();
      } catch {
        // The disk has failed, or its folder is only read by now.
      }
    }
  }

  private nextSegment(): void {
    // Opened first: where that fails, this file stays open, and the next event tries again.
    const next = this.open(this.current + 1);
    closeSync(this.file);
    const full = this.current;
    this.current += 1;
    this.file = next;
    this.written = 0;
    this.isTorn = false;
    if (this.unsettledIn.get(full) === 0) this.remove(full);
  }

  private read(segment: number): void {
    // How often: an id whose event was refused is kept a second time with what its caller has corrected.
    const settled = new Map<string, number>();
    if (existsSync(this.settledPath(segment))) {
      for (const id of readFileSync(this.settledPath(segment), 'utf8').split('\n'))
        settled.set(id, (settled.get(id) ?? 0) + 1);
    }
    for (const line of readFileSync(this.path(segment), 'utf8').split('\n')) {
      const kept = parse(line);
      if (kept === undefined) continue;
      const id = JSON.stringify(kept.id);
      const times = settled.get(id) ?? 0;
      settled.set(id, times - 1);
      if (times > 0) continue;
      this.found.push(kept);
      this.note(kept.id, segment);
    }
    if (!this.unsettledIn.has(segment)) this.remove(segment);
  }

  private note(id: string, segment: number): void {
    this.segmentOf.set(id, segment);
    this.unsettledIn.set(segment, (this.unsettledIn.get(segment) ?? 0) + 1);
  }

  private segments(): readonly number[] {
    return readdirSync(this.folder)
      .flatMap((name) => SEGMENT.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((one, other) => one - other);
  }

  private open(segment: number): number {
    return openSync(this.path(segment), 'a', 0o600);
  }

  private remove(segment: number): void {
    this.unsettledIn.delete(segment);
    rmSync(this.path(segment), { force: true });
    rmSync(this.settledPath(segment), { force: true });
  }

  private path(segment: number): string {
    return join(this.folder, `events-${String(segment).padStart(15, '0')}.ndjson`);
  }

  private settledPath(segment: number): string {
    return this.path(segment).replace(/ndjson$/, 'settled');
  }

  private lock(): void {
    const holder = OPEN.has(this.folder) ? process.pid : takeLock(join(this.folder, LOCK));
    if (holder !== undefined) throw new Error(`The outbox ${this.folder} is in use by process ${holder}.`);
    OPEN.add(this.folder);
  }

  private unlock(): void {
    OPEN.delete(this.folder);
    rmSync(join(this.folder, LOCK), { force: true });
  }
}

function parse(line: string): Kept | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const [id, text] = Array.isArray(value) ? (value as unknown[]) : [];
    return typeof id === 'string' && typeof text === 'string' ? { id, text } : undefined;
  } catch {
    return undefined;
  }
}
