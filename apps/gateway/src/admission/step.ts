import type { FieldErrors } from '@truetally/kernel';
import type { Authenticator } from '../credentials/authenticate.js';
import type { RefusalName } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import type { HourlyLimit } from '../limits/hourly-limit.js';
import type { HourlyLimiter } from '../limits/hourly-limiter.js';
import type { AdminSecret } from './admin-secret.js';
import type { BodyReader } from './body-reader.js';

/** The dependencies of the admission steps. */
export interface AdmissionParts {
  readonly authenticator: Authenticator;
  readonly adminSecret: AdminSecret;
  readonly limiter: HourlyLimiter;
  readonly bodies: BodyReader;
  /** Whether any site lists this origin. */
  readonly isOriginListed: (origin: string) => boolean;
  /** Whether a service is reachable now. */
  readonly isServing: () => boolean;
}

export interface Refused {
  readonly name: RefusalName;
  readonly details?: FieldErrors;
  readonly headers?: readonly string[];
  /** The limit that pays for the refusal, if it is known before admission. */
  readonly chargedTo?: HourlyLimit | undefined;
}

/** Undefined: the request continues with the next step. */
export type Outcome = Refused | 'answered' | undefined;

/**
 * One step that admits or refuses a request. Synchronous where possible, so that the hot path does not wait.
 */
export type Step = (exchange: Exchange, parts: AdmissionParts) => Outcome | Promise<Outcome>;
