import { writeUuid } from '@truetally/persistence';
import { type EventColumns, type EventFields, KEY_BYTES } from '../domain/event-columns.js';

/** An event with its ids and keys as texts. */
export interface NamedEvent extends EventFields {
  readonly eventId: string;
  readonly sessionKey: string;
  readonly requestKey: string;
}

/** @throws RangeError for an id that is none */
export function addEvent(columns: EventColumns, event: NamedEvent): void {
  const at = columns.length * KEY_BYTES;
  writeUuid(columns.eventIds, at, event.eventId);
  writeUuid(columns.sessionKeys, at, event.sessionKey);
  writeUuid(columns.requestKeys, at, event.requestKey);
  columns.add(event);
}
