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

/** The steps between a request and its controller, in this order (docs/decisions/http-edge.md). */
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

/** Admits or refuses a request, only by what its route declares. */
export class Admission {
  constructor(private readonly parts: AdmissionParts) {}

  /** @returns whether the request continues to its controller; otherwise it has been answered */
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
   * A refused known caller pays 1 from its limit. Insufficient credentials and our own failures cost nothing
   * (interface page, section 3).
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
