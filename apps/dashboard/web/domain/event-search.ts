import { type EventType, isEventType } from './event-types.js';

const ID_CHARACTERS = 128;

export interface EventSearch {
  readonly event_type?: EventType;
  readonly session_id?: string;
  readonly client_event_id?: string;
  readonly request_id?: string;
}

export const EVENT_SEARCH = ['event_type', 'session_id', 'client_event_id', 'request_id'] as const;

/** What of an address narrows the list of events; a broken part falls away. */
export function readEventSearch(search: Record<string, unknown>): EventSearch {
  const type = search['event_type'];
  const ids = (['session_id', 'client_event_id', 'request_id'] as const).flatMap((name) => {
    const id = idOf(search[name]);
    return id === undefined ? [] : [[name, id] as const];
  });
  return { ...(isEventType(type) && { event_type: type }), ...Object.fromEntries(ids) };
}

/** An id of an address, also one that is spelled like a number or a truth value. */
export function idOf(value: unknown): string | undefined {
  const isId = ['string', 'number', 'boolean'].includes(typeof value);
  const text = isId ? String(value) : '';
  return text === '' || text.length > ID_CHARACTERS ? undefined : text;
}
