import { type FieldErrors } from '@truetally/kernel';
import { listOf } from '../validation/answer-rules.js';
import { Always, MapOf, Matching, Nested, NonEmptyText, OneOf, Timestamp } from '../validation/decorators.js';
import { COUNT } from '../validation/forms.js';
import { text } from '../validation/rules.js';
import { type ErrorCode, ERROR_CODES } from './failures.js';

const REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/;
const MESSAGE = { max: 2_000 };

/** Part of every answer (interface page, section 1). */
export class Meta {
  /** ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly timestamp!: string;
  @Matching(REQUEST_ID, 'a request id') readonly request_id!: string;
}

/** The body of a successful answer (interface page, section 1). */
export interface SuccessEnvelope<T> {
  readonly success: true;
  readonly data: T;
  readonly meta: Meta;
}

/** `error` in the body of a refusal (interface page, section 1). */
export class ErrorBody {
  @OneOf(ERROR_CODES) readonly code!: ErrorCode;
  @NonEmptyText(MESSAGE) readonly message!: string;
  /** Field path to every rule that it breaks; `{}` when there is none to name. */
  @MapOf(listOf(text(MESSAGE), { ...COUNT, min: 1 })) readonly details!: FieldErrors;
}

/** The answer to every refused request, whatever the route. */
export class ErrorEnvelope {
  @Always(false) readonly success!: false;
  @Nested(() => ErrorBody) readonly error!: ErrorBody;
  @Nested(() => Meta) readonly meta!: Meta;
}
