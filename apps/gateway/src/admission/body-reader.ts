import { BODY_PATH } from '@truetally/contracts/validation';
import type { FieldErrors } from '@truetally/kernel';
import { type JsonFault, readJson } from '@truetally/kernel';
import type { BodyBudget } from '../http/body-budget.js';
import type { ClientAddresses } from '../http/client-address.js';
import { mediaTypeOf } from '../http/content-type.js';
import type { Exchange } from '../http/exchange.js';
import { type BodyRules, readBody } from '../http/read-body.js';
import { type BodyRule, isCallerRule } from '../http/route-rules.js';
import type { Refused } from './step.js';

/** Memory budgets of arriving bodies (docs/limits.md). */
export interface BodyBudgets {
  /** Of trusted backends and members; a share belongs to a key, a site or a workspace. */
  readonly callers: BodyBudget;
  /**
   * Of pages, whose tokens are public, and of callers that are not known yet; a share belongs to a client
   * address.
   */
  readonly pages: BodyBudget;
}

type Read = { readonly body: unknown } | { readonly fault: Refused };

/** Interface page, section 1: the limit before a credential is known. */
const UNKNOWN_CALLER_LIMIT_BYTES = 64 * 1024;
const BODY_TIMEOUT_MS = 15_000;
const PLATFORM = 'platform';
const NO_DETAILS: FieldErrors = {};

/** Reads the JSON bodies of requests. Never rejects: client errors are values. */
export class BodyReader {
  constructor(
    private readonly budgets: BodyBudgets,
    private readonly addresses: ClientAddresses,
  ) {}

  async read(exchange: Exchange, rule: BodyRule): Promise<Read> {
    const mediaType = mediaTypeOf(exchange.request.headers['content-type']);
    if (mediaType !== 'application/json' && !(mediaType === 'text/plain' && mayBeBeacon(exchange))) {
      return { fault: { name: 'unsupported-media-type' } };
    }
    const text = await readBody(exchange.request, this.rulesFor(exchange, rule));
    if (!text.ok) return { fault: { name: text.error } };
    const json = readJson(text.value);
    return json.ok ? { body: json.value.value } : { fault: refusalOf(json.error) };
  }

  private rulesFor(exchange: Exchange, { limitBytes }: BodyRule): BodyRules {
    const { caller } = exchange;
    const timeoutMs = BODY_TIMEOUT_MS;
    const isPage = caller === undefined || (caller.kind === 'site' && caller.trust === 'browser');
    if (!isPage) {
      const holder = caller.limit?.subject ?? PLATFORM;
      return { limitBytes, timeoutMs, budget: this.budgets.callers, holder };
    }
    const limit = caller === undefined ? Math.min(limitBytes, UNKNOWN_CALLER_LIMIT_BYTES) : limitBytes;
    const holder = this.addresses.of(exchange.request);
    return { limitBytes: limit, timeoutMs, budget: this.budgets.pages, holder };
  }
}

/** A page's beacon may send its JSON as text, with its credential in the body. */
function mayBeBeacon({ caller, route }: Exchange): boolean {
  return caller === undefined && route !== undefined && isCallerRule(route.credential);
}

function refusalOf(fault: JsonFault): Refused {
  switch (fault.kind) {
    case 'empty':
    case 'syntax':
      return { name: 'not-json', details: { [BODY_PATH]: [fault.message] } };
    case 'too-deep':
    case 'too-many-members':
    case 'too-many-numbers':
    case 'too-many-objects':
      return { name: fault.kind, details: NO_DETAILS };
    case 'duplicate-member':
      return {
        name: 'duplicate-member',
        details: fault.path === undefined ? NO_DETAILS : { [fault.path]: ['must not be named twice'] },
      };
  }
}
