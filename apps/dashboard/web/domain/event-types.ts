import type { EventResource } from '@truetally/node';

export type EventType = EventResource['event_type'];

/** All of them, by the compiler. */
const TYPES: Readonly<Record<EventType, true>> = {
  page_view: true,
  product_view: true,
  add_to_cart: true,
  remove_from_cart: true,
  purchase: true,
  search: true,
  custom: true,
  chatbot_message: true,
  recommendation_impression: true,
  recommendation_click: true,
  overlay_impression: true,
  overlay_click: true,
  overlay_dismiss: true,
  overlay_submit: true,
  quiz_start: true,
  quiz_answer: true,
  quiz_complete: true,
  partner_link_click: true,
};

/** Event types of the API (interface page, section 4). */
export const EVENT_TYPES: readonly EventType[] = Object.keys(TYPES).filter(isEventType);

export function isEventType(text: unknown): text is EventType {
  return typeof text === 'string' && Object.hasOwn(TYPES, text);
}

/** For people: `page view`. */
export function wordsOf(type: string): string {
  return type.replaceAll(/[._]/g, ' ');
}
