import { OUTBOX_LIMIT, RADIX, TIME_DIGITS, SEQUENCE_DIGITS } from './limits.js';
import type { Store } from './store.js';

export interface Waiting {
  readonly key: string;
  /** The `client_event_id`. */
  readonly id: string;
  /** The event as JSON. */
  readonly text: string;
}

export interface BatchLimits {
  readonly maxItems: number;
  readonly maxBytes: number;
}

export interface Outbox {
  /** Stores an event at its capture. @returns ids of those that gave way to it */
  add(id: string, text: string, nowMs: number): readonly string[];
  /** The oldest, as many as fit, and at least one where there is one. @param skipped keys */
  next(limits: BatchLimits, skipped?: ReadonlySet<string>): readonly Waiting[];
  /** The server has answered for it. */
  remove(key: string): void;
  /** The number of events. */
  size(): number;
}

const encoder = new TextEncoder();

/** The length of a text as it is sent. */
export function bytesOf(text: string): number {
  return encoder.encode(text).length;
}

/**
 * The outbox of a site: one key for each event, so that tabs never write over each other's. A reload, a crash or a
 * closed tab leaves them where the next visit finds them.
 */
export function openOutbox(store: Store, prefix: string, limit = OUTBOX_LIMIT): Outbox {
  let sequence = 0;
  let lastMs = 0;
  const idOf = (key: string): string => key.slice(key.indexOf('.', prefix.length) + 1);
  return {
    add(id, text, nowMs) {
      // A clock that is set back must not change the order of this page's events.
      lastMs = Math.max(lastMs, nowMs);
      sequence += 1;
      const digits = (value: number, count: number): string =>
        value.toString(RADIX).padStart(count, '0').slice(-count);
      store.set(`${prefix}${digits(lastMs, TIME_DIGITS)}${digits(sequence, SEQUENCE_DIGITS)}.${id}`, text);
      const keys = store.keys(prefix);
      const dropped = keys.slice(0, Math.max(0, keys.length - limit));
      return dropped.map((key) => {
        store.remove(key);
        return idOf(key);
      });
    },
    next({ maxItems, maxBytes }, skipped) {
      const taken: Waiting[] = [];
      let size = 0;
      for (const key of store.keys(prefix)) {
        const text = !skipped?.has(key) && store.get(key);
        // Another tab may have removed it meanwhile.
        if (!text) continue;
        size += bytesOf(text);
        if (taken.length >= maxItems || (taken.length > 0 && size > maxBytes)) break;
        taken.push({ key, id: idOf(key), text });
      }
      return taken;
    },
    remove: store.remove,
    size: () => store.keys(prefix).length,
  };
}
