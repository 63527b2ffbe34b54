import type { FieldErrors } from '@truetally/kernel';
import type { Authenticator } from '../credentials/authenticate.js';
import type { RefusalName } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import type { HourlyLimit } from '../limits/hourly-limit.js';
import type { HourlyLimiter } from '../limits/hourly-limiter.js';
import type { AdminSecret } from './admin-secret.js';
import type { BodyReader } from './body-reader.js';

/** What the steps of admission work with. */
export interface AdmissionParts {
  readonly authenticator: Authenticator;
  readonly adminSecret: AdminSecret;
  readonly limiter: HourlyLimiter;
  readonly bodies: BodyReader;
  /** Whether any site lists this origin. */
  readonly isOriginListed: (origin: string) => boolean;
  /** Whether a service can be asked now. */
  readonly isServing: () => boolean;
}

export interface Refused {
  readonly name: RefusalName;
  readonly details?: FieldErrors;
  readonly headers?: readonly string[];
  /** Whose hour pays for the refusal, where that is known before anybody is let in. */
  readonly chargedTo?: HourlyLimit | undefined;
}

/** Undefined: the request goes on to the next step. */
export type Outcome = Refused | 'answered' | undefined;

/** One thing that admits a request, or does not. Synchronous where it can be: the hot path does not wait. */
export type Step = (exchange: Exchange, parts: AdmissionParts) => Outcome | Promise<Outcome>;
