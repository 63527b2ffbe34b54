import type { ReasonCount } from '@truetally/contracts/events';
import type { FieldErrors } from '@truetally/kernel';
import { REFUSALS } from '../http/errors.js';

const { code } = REFUSALS['broken-rules'];

/** Why an event is refused: the first broken field, whose path has no indexes, because no field of an event is a list. */
export function reasonOf(broken: FieldErrors): ReasonCount {
  return { code, field: Object.keys(broken)[0] ?? null, count: 1 };
}
