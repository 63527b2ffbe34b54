import { REFUSALS, type Refusal } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { refuse } from '../http/respond.js';
import { checkBodyCredential } from './check-body-credential.js';
import { checkCredential } from './check-credential.js';
import { checkForm } from './check-form.js';
import { checkKnownLimit } from './check-known-limit.js';
import { checkQuery } from './check-query.js';
import { checkServing } from './check-serving.js';
import { charge, consumeLimit } from './consume-limit.js';
import { findRoute } from './find-route.js';
import { keepBrowsersOut } from './keep-browsers-out.js';
import { receiveBody } from './receive-body.js';
import type { AdmissionParts, Refused, Step } from './step.js';

/** All that stands between a request and its controller, in this order (docs/decisions/http-edge.md). */
const STEPS: readonly Step[] = [
  checkForm,
  keepBrowsersOut,
  findRoute,
  checkCredential,
  checkKnownLimit,
  checkQuery,
  receiveBody,
  checkBodyCredential,
  checkServing,
  consumeLimit,
];

/** Decides whether a request may be looked at, from what its route declares and nothing else. */
export class Admission {
  constructor(private readonly parts: AdmissionParts) {}

  /** @returns whether the request goes on to its controller; otherwise it has been answered */
  async admit(exchange: Exchange): Promise<boolean> {
    for (const step of STEPS) {
      const outcome = step(exchange, this.parts);
      const settled = outcome instanceof Promise ? await outcome : outcome;
      if (settled === undefined) continue;
      if (settled !== 'answered') await this.refuse(exchange, settled);
      return false;
    }
    return true;
  }

  /**
   * Whoever is known pays 1 for being refused; nobody pays for a credential that was not good enough, nor for what is our
   * own fault (interface page, section 3).
   */
  private async refuse(exchange: Exchange, refused: Refused): Promise<void> {
    const limit = refused.chargedTo ?? exchange.caller?.limit;
    const isPaid = exchange.allowance !== undefined;
    const beyond =
      limit == null || isPaid || isFree(REFUSALS[refused.name])
        ? undefined
        : await charge(exchange, this.parts.limiter, limit, 1);
    const { name, details, headers } = beyond ?? refused;
    refuse(exchange, name, details, headers);
  }
}

const UNAUTHORIZED = 401;
const FIRST_OF_OURS = 500;

function isFree({ status }: Refusal): boolean {
  return status === UNAUTHORIZED || status >= FIRST_OF_OURS;
}
