import type { TrustClass } from '@truetally/contracts/credentials';
import { isEventType, type RefusedItem } from '@truetally/contracts/events';
import { isJsonObject } from '@truetally/contracts/validation';
import type { FieldErrors } from '@truetally/kernel';
import { REFUSALS } from '../http/errors.js';

const { code } = REFUSALS['broken-rules'];
const MAX_RULE_CHARACTERS = 200;

/** Where an item came from. */
export interface ItemPlace {
  readonly requestId: string;
  /** Null for a single event. */
  readonly index: number | null;
  readonly trust: TrustClass;
}

/**
 * Why an event is refused: the first broken field, whose path has no indexes, because no field of an event is a list. Of the event
 * itself only a valid type and a valid `client_event_id` are kept.
 */
export function refusedItem(event: unknown, broken: FieldErrors, place: ItemPlace): RefusedItem {
  const [field = null] = Object.keys(broken);
  const rule = field === null ? undefined : broken[field]?.[0];
  const fields = isJsonObject(event) ? event : {};
  const { event_type: type, client_event_id: id } = fields;
  return {
    ...place,
    eventType: isEventType(type) ? type : null,
    clientEventId: typeof id === 'string' && broken['client_event_id'] === undefined ? id : null,
    code,
    field,
    rule: rule?.slice(0, MAX_RULE_CHARACTERS) ?? null,
    status: null,
  };
}
