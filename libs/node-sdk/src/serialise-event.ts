import { randomUUID } from 'node:crypto';
import type { Event, Fault } from './types.js';

/** Interface page, section 4. */
const EVENT_BYTES = 64 * 1024;

/** Of this moment: the caller may change the object afterwards. */
export function serialise(event: Event): { readonly id: string; readonly text: string | Fault } {
  let id: string = randomUUID();
  try {
    const { client_event_id: given, occurred_at: occurredAt = new Date().toISOString() } = event;
    if (typeof (given ?? id) !== 'string') throw new TypeError('client_event_id must be text');
    id = given ?? id;
    const text = JSON.stringify({ ...event, client_event_id: id, occurred_at: occurredAt });
    const bytes = Buffer.byteLength(text);
    const message = `The event has ${bytes} bytes; at most ${EVENT_BYTES} are taken.`;
    return { id, text: bytes > EVENT_BYTES ? fault('EVENT_TOO_LARGE', message) : text };
  } catch (error) {
    return { id, text: fault('INVALID_EVENT', `The event cannot be sent: ${String(error)}`) };
  }
}

/** A fault of the client's own. */
export function fault(code: string, message: string): Fault {
  return { code, message, details: {} };
}
