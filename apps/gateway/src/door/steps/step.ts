import type { JsonReading } from '@truetally/kernel';
import type { KafkaAskClient } from '@truetally/messaging';
import type { Authenticator } from '../../credentials/authenticate.js';
import type { HourlyLimiter } from '../../limits/hourly-limiter.js';
import type { VisitorShares } from '../../limits/visitor-shares.js';
import type { MemberDirectory } from '../../credentials/member-directory.js';
import type { HolderTurns } from '../../http/holder-turns.js';
import type { Exchange, Refused } from '../../http/exchange.js';
import type { RouteCatalogue } from '../routes.js';
import type { AdminSecret } from '../admin-secret.js';
import type { BodyRule } from '../../http/route-rules.js';

/** The dependencies of the admission steps. */
export interface AdmissionParts {
  readonly routes: RouteCatalogue;
  readonly authenticator: Authenticator;
  readonly adminSecret: AdminSecret;
  /** The port that alone has the platform's own routes, and no others; undefined where all are on one. */
  readonly adminPort?: number | undefined;
  readonly limiter: HourlyLimiter;
  readonly visitors: VisitorShares;
  readonly bodies: ReadsBodies;
  readonly turns: HolderTurns;
  /** Of batches that are being stored. */
  readonly batchTurns: HolderTurns;
  readonly members: Pick<MemberDirectory, 'holdersOf'>;
  /** Whether any site lists this origin, so that its pages may read answers of storefront routes. */
  readonly isOriginListed: (origin: string) => boolean;
  /** Origins of the merchants' dashboard, which may read answers of routes of members. */
  readonly dashboardOrigins: ReadonlySet<string>;
  /** Whether a service is reachable now. */
  readonly asker: Pick<KafkaAskClient, 'isAccepting'>;
}

/** Reads the body of a request; what a client can cause is a value. */
export interface ReadsBodies {
  read(exchange: Exchange, rule: BodyRule): BodyRead | Promise<BodyRead>;
}

export type BodyRead = JsonReading | { readonly fault: Refused };

/** Undefined: the request continues with the next step. */
export type Outcome = Refused | 'answered' | undefined;

/**
 * One step that admits or refuses a request. Synchronous where possible, so that the hot path does not wait.
 */
export type Step = (exchange: Exchange, parts: AdmissionParts) => Outcome | Promise<Outcome>;
