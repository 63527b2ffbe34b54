import { siteOfEvent, UnreadEvent } from '../domain/trigger-fact.js';

const KEEP_MS = 30_000;
const MAX_EVENTS = 5_000;
const MAX_BYTES = 8_388_608;

/**
 * The newest events that nobody has read, for a workflow that becomes known just after one of them. Their bytes are in one
 * piece of memory, in which new ones take the place of the oldest: each of thousands of copies a second would live as long as
 * thousands of others, and then be the collector's.
 */
export class UnreadEvents {
  private readonly bytes: Buffer;
  private readonly starts: Float64Array;
  private readonly lengths: Int32Array;
  private readonly times: Float64Array;
  private count = 0;
  /** Counted from the first byte that was ever written, as the starts are. */
  private end = 0;

  constructor(
    private readonly nowMs: () => number,
    { events = MAX_EVENTS, bytes = MAX_BYTES }: { readonly events?: number; readonly bytes?: number } = {},
  ) {
    this.bytes = Buffer.allocUnsafeSlow(bytes);
    this.starts = new Float64Array(events);
    this.lengths = new Int32Array(events);
    this.times = new Float64Array(events);
  }

  /** Copies it: it is a piece of a whole fetch. */
  add(written: Buffer): void {
    const room = this.bytes.length;
    if (written.length > room) return;
    const left = room - (this.end % room);
    const start = written.length > left ? this.end + left : this.end;
    written.copy(this.bytes, start % room);
    this.end = start + written.length;
    const place = this.count % this.starts.length;
    this.starts[place] = start;
    this.lengths[place] = written.length;
    this.times[place] = this.nowMs();
    this.count += 1;
  }

  /** In their order. */
  ofSite(siteId: string): readonly UnreadEvent[] {
    const oldestMs = this.nowMs() - KEEP_MS;
    const firstByte = this.end - this.bytes.length;
    const found: UnreadEvent[] = [];
    for (let index = Math.max(0, this.count - this.starts.length); index < this.count; index += 1) {
      const place = index % this.starts.length;
      const start = this.starts[place] ?? 0;
      if (start < firstByte || (this.times[place] ?? 0) < oldestMs) continue;
      const at = start % this.bytes.length;
      const written = this.bytes.subarray(at, at + (this.lengths[place] ?? 0));
      if (siteOfEvent(written) === siteId) found.push(new UnreadEvent(siteId, Buffer.from(written)));
    }
    return found;
  }
}
