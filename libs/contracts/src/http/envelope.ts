import { type FieldErrors } from '@truetally/kernel';
import { type ErrorCode } from './failures.js';

/** Part of every answer (interface page, section 1). */
export interface Meta {
  /** ISO 8601 UTC with milliseconds. */
  readonly timestamp: string;
  readonly request_id: string;
}

export interface SuccessEnvelope<T> {
  readonly success: true;
  readonly data: T;
  readonly meta: Meta;
}

export interface ErrorBody {
  readonly code: ErrorCode;
  readonly message: string;
  /** Field path to every rule that it breaks; `{}` when there is none to name. */
  readonly details: FieldErrors;
}

export interface ErrorEnvelope {
  readonly success: false;
  readonly error: ErrorBody;
  readonly meta: Meta;
}
