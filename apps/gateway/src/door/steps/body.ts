import { BODY_PATH } from '@truetally/contracts/validation';
import { fail, type FieldErrors, type JsonFault, readJson, type Result, succeed } from '@truetally/kernel';
import type { CredentialFault, Presented } from '../../credentials/authenticate.js';
import type { MemberDirectory } from '../../credentials/member-directory.js';
import {
  type BodyFault,
  type MediaType,
  mediaTypeOf,
  readBody,
  readWhole,
  type BodyRules,
} from '../../http/read-body.js';
import type { Exchange, Refused } from '../../http/exchange.js';
import type { BodyRule } from '../../http/route-rules.js';
import type { SeenHolders } from '../../http/holder-turns.js';
import type { BodyBudget, ClientAddresses } from '../../http/shares.js';
import type { AdmissionParts, BodyRead, Outcome, ReadsBodies } from './step.js';

/** Refuses query parameters that the route does not declare with 400, naming each. */
export function checkQuery({ query, route }: Exchange): Outcome {
  if (query === undefined) return undefined;
  const unknown = [...new Set(query.keys())].filter((name) => route?.knownQuery.has(name) !== true);
  if (unknown.length === 0) return undefined;
  const named = unknown.map((name) => [name.toWellFormed(), ['is not a known query parameter']] as const);
  return { name: 'unknown-query', details: Object.fromEntries(named) };
}

/** Reads the body of a route with one, within its caller's limits, and what it tells of the request. */
export function receiveBody(exchange: Exchange, parts: AdmissionParts): Outcome | Promise<Outcome> {
  const rule = exchange.route?.body;
  if (rule === undefined) return undefined;
  if (rule.isOptional && !carriesBody(exchange)) return admitBody(exchange, parts);
  const keep = (read: BodyRead): Outcome | Promise<Outcome> => {
    if ('fault' in read) return read.fault;
    exchange.keepBody(read.value, read.texts);
    if (rule.costOf !== undefined) exchange.cost = rule.costOf(read.value);
    return admitBody(exchange, parts);
  };
  const read = parts.bodies.read(exchange, rule);
  return read instanceof Promise ? read.then(keep) : keep(read);
}

function admitBody(exchange: Exchange, parts: AdmissionParts): Outcome | Promise<Outcome> {
  const identified = checkBodyCredential(exchange, parts);
  if (!(identified instanceof Promise)) return identified ?? checkServing(exchange, parts);
  return identified.then((refused) => refused ?? checkServing(exchange, parts));
}

function carriesBody({ request: { headers } }: Exchange): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** A page's beacon has its credential in the body; all others have it in a header, never in both. */
function checkBodyCredential(
  exchange: Exchange,
  { authenticator }: AdmissionParts,
): Outcome | Promise<Outcome> {
  const { route, origin, caller } = exchange;
  if (route?.demand === undefined) return undefined;
  const presented = presentedInBody(exchange.body);
  if (!presented.ok) return { name: presented.error };
  if (caller !== undefined) {
    return presented.value === undefined ? undefined : { name: 'credential-ambiguous' };
  }
  if (presented.value === undefined) return { name: 'credential-missing' };
  return exchange.identify(authenticator.authenticate(presented.value, origin, route.demand));
}

/** The credential in a beacon's body; undefined for none, a fault unless it is one text. */
export function presentedInBody(body: unknown): Result<Presented | undefined, CredentialFault> {
  if (typeof body !== 'object' || body === null) return succeed(undefined);
  const key = 'api_key' in body ? (body.api_key ?? undefined) : undefined;
  const token = 'runtime_token' in body ? (body.runtime_token ?? undefined) : undefined;
  if (key === undefined && token === undefined) return succeed(undefined);
  if (key !== undefined && token !== undefined) return fail('credential-ambiguous');
  if (typeof key === 'string') return succeed({ kind: 'api-key', text: key, isInHeader: false });
  if (typeof token === 'string') return succeed({ kind: 'bearer', text: token });
  return fail('credential-invalid');
}

/** Refuses early what could only get 503: a body is for a service, and none is reachable now. */
function checkServing({ caller }: Exchange, { asker }: AdmissionParts): Outcome {
  return caller !== undefined && !asker.isAccepting() ? { name: 'unavailable' } : undefined;
}

/** Memory budgets of arriving bodies (docs/limits.md). */
export interface BodyBudgets {
  /** Of trusted backends and members; a share belongs to a workspace and to whoever owns it. */
  readonly callers: BodyBudget;
  /**
   * Of pages, whose tokens are public, and of callers that are not known yet; a share belongs to a client
   * address.
   */
  readonly pages: BodyBudget;
}

/** Interface page, section 1: the limit before a credential is known. */
const UNKNOWN_CALLER_LIMIT_BYTES = 64 * 1024;
const BODY_TIMEOUT_MS = 15_000;
const PLATFORM = ['platform'];
const NO_DETAILS: FieldErrors = {};

/** Who was here last, and when somebody else was. */
export class Presence implements SeenHolders {
  private latest: string | undefined;
  private latestMs = -Infinity;
  private otherMs = -Infinity;

  /** @param monotonicMs milliseconds of a monotonic clock */
  constructor(private readonly monotonicMs: () => number) {}

  note(name: string, nowMs = this.monotonicMs()): void {
    if (name !== this.latest) this.otherMs = this.latestMs;
    this.latest = name;
    this.latestMs = nowMs;
  }

  /** For so long nobody else than this one was here: whoever waits for its turn is not seen meanwhile. */
  aloneForMs(name: string): number {
    return name === this.latest ? this.monotonicMs() - this.otherMs : 0;
  }
}

/** Reads the JSON bodies of requests. Never rejects: client errors are values. */
export class BodyReader implements ReadsBodies {
  constructor(
    private readonly budgets: BodyBudgets,
    private readonly addresses: ClientAddresses,
    private readonly members: Pick<MemberDirectory, 'holdersOf'>,
    /** Of whoever answers for a request with a body. */
    readonly presence: Presence,
    private readonly timeoutMs = BODY_TIMEOUT_MS,
  ) {}

  read(exchange: Exchange, rule: BodyRule): BodyRead | Promise<BodyRead> {
    const rules = this.rulesFor(exchange, rule);
    const mediaType = mediaTypeOf(exchange.request.headers['content-type']);
    if (!isTaken(mediaType, exchange)) return { fault: { name: 'unsupported-media-type' } };
    const whole = exchange.request.takeBody?.();
    const parse = (text: Result<string, BodyFault>): BodyRead => {
      if (!text.ok) return { fault: { name: text.error } };
      exchange.receivedBytes = text.value.length;
      const json = readJson(text.value, rule.cut);
      return json.ok ? json.value : { fault: refusalOf(json.error) };
    };
    if (whole !== undefined) return parse(readWhole(whole, rules));
    return readBody(exchange.incoming, rules).then(parse);
  }

  private rulesFor(exchange: Exchange, { limitBytes }: BodyRule): BodyRules {
    const { caller } = exchange;
    const { timeoutMs } = this;
    const isPage = caller === undefined || (caller.kind === 'site' && caller.trust === 'browser');
    const answering =
      caller === undefined || caller.kind === 'platform' ? PLATFORM : this.members.holdersOf(caller);
    // A page's beacon is nobody's yet, and the platform is nobody's rival.
    if (answering !== PLATFORM) {
      const [workspace = '', owner = workspace] = answering;
      this.presence.note(owner, exchange.beganMs);
    }
    if (!isPage) {
      return { limitBytes, timeoutMs, budget: this.budgets.callers, holders: answering };
    }
    const limit = caller === undefined ? Math.min(limitBytes, UNKNOWN_CALLER_LIMIT_BYTES) : limitBytes;
    const holders = [this.addresses.of(exchange.request)];
    return { limitBytes: limit, timeoutMs, budget: this.budgets.pages, holders };
  }
}

/** A PATCH is a merge patch (RFC 7396), which has a media type of its own. */
function isTaken(mediaType: MediaType | undefined, exchange: Exchange): boolean {
  if (mediaType === 'application/merge-patch+json') return exchange.request.method === 'PATCH';
  return mediaType === 'application/json' || (mediaType === 'text/plain' && mayBeText(exchange));
}

/**
 * A page's beacon may send its JSON as text, with its credential in the body; so may a page that asks for a token. A browser
 * sends text without a preflight, which is answered for listed origins alone.
 */
function mayBeText({ caller, route }: Exchange): boolean {
  return caller === undefined && (route?.demand !== undefined || route?.credential === 'listed-page');
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
