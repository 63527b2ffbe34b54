import { OUTBOX_LIMIT, EVENTS_PER_MS } from './limits.js';
import type { Store } from './store.js';

export interface Waiting {
  readonly key: string;
  /** The `client_event_id`. */
  readonly id: string;
  /** The event as JSON. */
  readonly text: string;
}

export interface Outbox {
  /** Stores an event at its capture. @returns ids of those that gave way to it */
  keep(id: string, text: string, nowMs: number): readonly string[];
  /** The oldest, as many as fit, and at least one where there is one. @param skipped keys */
  next(maxItems: number, maxBytes: number, skipped?: ReadonlySet<string>): readonly Waiting[];
  /** The server has answered for it. */
  forget(key: string): void;
  /** The number of events. */
  count(): number;
}

/** The length of a text as it is sent. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** How keys of events begin. */
const EVENT = 'e.';

/**
 * The outbox of a site: one key for each event, so that tabs never write over each other's. A reload, a crash or a
 * closed tab leaves them where the next visit finds them.
 */
export function openOutbox(store: Store): Outbox {
  let last = 0;
  const idOf = (key: string): string => String(key.split('.').pop());
  return {
    keep(id, text, nowMs) {
      // A clock that is set back, or is slow, must not change the order of this page's events.
      last = Math.max(last + 1, nowMs * EVENTS_PER_MS);
      store.write(`${EVENT}${last}.${id}`, text);
      const dropped = store.keysWith(EVENT).slice(0, -OUTBOX_LIMIT);
      return dropped.map((key) => {
        store.forget(key);
        return idOf(key);
      });
    },
    next(maxItems, maxBytes, skipped) {
      const taken: Waiting[] = [];
      let size = 0;
      for (const key of store.keysWith(EVENT)) {
        const text = !skipped?.has(key) && store.read(key);
        // Another tab may have removed it meanwhile.
        if (!text) continue;
        size += bytesOf(text);
        if (taken.length >= maxItems || (taken.length && size > maxBytes)) break;
        taken.push({ key, id: idOf(key), text });
      }
      return taken;
    },
    forget: store.forget,
    count: () => store.keysWith(EVENT).length,
  };
}
