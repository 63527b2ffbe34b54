import { SetMetadata } from '@nestjs/common';
import type { DtoClass, JsonSchema } from '@truetally/contracts/validation';
import type { JsonCut } from '@truetally/kernel';
import {
  CREDENTIAL_DEMANDS,
  type CallerRule,
  type CredentialDemand,
} from '../credentials/credential-demand.js';
import type { QueryParameters } from './query-reader.js';

/**
 * What a route asks of its caller. Admission enforces it before the controller runs, from this declaration and
 * nothing else; a route without one stops the start.
 * - `public`: nothing.
 * - `listed-page`: a page at an origin that the site in its body lists; nothing else.
 * - `event-writer`: an API key with `events:write` or a runtime token, in a header.
 * - `event-writer-or-beacon`: the same, or in the body of a page's beacon.
 * - `touch-writer-or-beacon`: a runtime token, in a header or in the body of a page's beacon; nothing else.
 * - `conversion-writer`: an API key with `partner_attribution:convert`, in its header.
 * - `profile-importer`: an API key with `profiles:import`, in its header.
 * - `attribution-reader`: an API key with `partner_attribution:read`, or any member of the site's workspace.
 * - `analytics-reader`: an API key with `analytics:read`, or any member of the site's workspace.
 * - `commission-rule-writer`: an API key with `partner_attribution:convert`, or an owner or admin of the workspace.
 * - `storefront-reader`: a runtime token in its header.
 * - `catalogue-writer`: an API key with `commerce:write`, or an owner or admin of the workspace.
 * - `management-reader`: any member of the workspace.
 * - `management-writer`: an owner or admin of the workspace.
 * - `job-follower`: an API key, whatever its scopes, or any user: the service knows whose the job is.
 * - `management-owner`: an owner of the workspace.
 * - `owner-alone`: the same, where an API key is known and refused: 403.
 * - `user`: any user, also one that is a member of no workspace; none is picked.
 * - `workspace-member`: any member of the workspace that the path names (`:workspace_id`), whatever header there is.
 * - `workspace-writer`: an owner or admin of it.
 * - `workspace-owner`: an owner of it.
 * - `admin`: the platform's admin secret, and never a browser.
 */
export type CredentialRule = 'public' | 'listed-page' | 'admin' | CallerRule;

/** What a rule asks of its caller's credential; undefined for one that knows no caller. */
export function demandOf(rule: CredentialRule): CredentialDemand | undefined {
  return isCallerRule(rule) ? CREDENTIAL_DEMANDS[rule] : undefined;
}

export function isCallerRule(rule: CredentialRule): rule is CallerRule {
  return rule !== 'public' && rule !== 'listed-page' && rule !== 'admin';
}

export const CREDENTIAL_RULE = 'truetally:credential-rule';
export const QUERY_PARAMETERS = 'truetally:query-parameters';
export const BODY_RULE = 'truetally:body-rule';
export const ANSWERS = 'truetally:answers';
export const CACHEABLE = 'truetally:cacheable';
export const STREAMS = 'truetally:streams';
export const SIGNED = 'truetally:signed';
export const RECEIVED_BODY = 'truetally:received-body';
export const REFUSALS_OF_ROUTE = 'truetally:refusals';

/** What a controller's method may declare beside its method and its path. */
export const ROUTE_RULES: readonly string[] = [
  CREDENTIAL_RULE,
  QUERY_PARAMETERS,
  BODY_RULE,
  ANSWERS,
  CACHEABLE,
  STREAMS,
  SIGNED,
  RECEIVED_BODY,
  REFUSALS_OF_ROUTE,
];

export const Credential = (rule: CredentialRule) => SetMetadata(CREDENTIAL_RULE, rule);

/** What a route answers with: JSON whose `data` is of the class, or a file without the envelope. */
export type AnswerForm =
  { readonly of: DtoClass<object>; readonly isPage: boolean } | { readonly mediaTypes: readonly string[] };

/** The form of a success by its status. Every refusal is an `ErrorEnvelope`. */
export type AnswerForms = Readonly<Record<number, AnswerForm>>;

const OK = 200;

/** One instance of the class, with any of the statuses. */
export const Answers = (of: DtoClass<object>, ...statuses: readonly number[]) =>
  answersBy((statuses.length === 0 ? [OK] : statuses).map((status) => [status, { of, isPage: false }]));

/** A class per status. */
export const AnswersByStatus = (classes: Readonly<Record<number, DtoClass<object>>>) =>
  answersBy(
    Object.entries(classes).map(([status, of]): [number, AnswerForm] => [
      Number(status),
      { of, isPage: false },
    ]),
  );

export const AnswersPageOf = (of: DtoClass<object>) => answersBy([[OK, { of, isPage: true }]]);

export const AnswersFile = (...mediaTypes: readonly string[]) => answersBy([[OK, { mediaTypes }]]);

const answersBy = (forms: readonly (readonly [number, AnswerForm])[]) =>
  SetMetadata(ANSWERS, Object.fromEntries(forms) satisfies AnswerForms);

/** Statuses of refusals that the route's other rules do not imply. */
export const Refuses = (...statuses: readonly number[]) => SetMetadata(REFUSALS_OF_ROUTE, statuses);

/** The answer has an entity tag; a request with the current tag gets 304. */
export const Cacheable = () => SetMetadata(CACHEABLE, true);

/** With `Accept: text/event-stream` the answer is a live stream instead. */
export const StreamsToo = () => SetMetadata(STREAMS, true);

/** The body is signed by the platform's worker, which is the caller's credential. */
export const Signed = () => SetMetadata(SIGNED, true);

/** The query parameters that a route accepts; any other is 400. Default: none. */
export const KnownQuery = (parameters: QueryParameters) => SetMetadata(QUERY_PARAMETERS, parameters);

/** Interface page, section 1: 1 MiB, except on routes that declare another limit. */
const BODY_LIMIT_BYTES = 1024 * 1024;

type BodyClass = DtoClass<object>;

/** The body of a route, and a request's cost by it. */
export interface BodyRule {
  /** What it may be: of a `PATCH`, the resource that it is merged into. */
  readonly of: readonly BodyClass[];
  /** Of the body as sent, and after decompression. */
  readonly limitBytes: number;
  /** Whether it may be absent: all its fields have defaults. */
  readonly isOptional: boolean;
  /** Default: every request costs 1. */
  readonly costOf?: ((body: unknown) => number) | undefined;
  /** Members whose texts its controller takes as they came. */
  readonly cut?: JsonCut | undefined;
}

/**
 * The route accepts JSON, which its controller gets from `exchange.takeBody()`. Without this decorator no
 * body is read.
 */
export const JsonBody = (
  of: BodyClass | readonly BodyClass[],
  { limitBytes = BODY_LIMIT_BYTES, isOptional = false, costOf, cut }: Partial<Omit<BodyRule, 'of'>> = {},
) => SetMetadata(BODY_RULE, { of: [of].flat(), limitBytes, isOptional, costOf, cut } satisfies BodyRule);

/** A body that the controller reads itself: a class or a schema by media type. */
export type ReceivedBody = Readonly<Record<string, BodyClass | JsonSchema>>;

export const ReceivesBody = (forms: ReceivedBody) => SetMetadata(RECEIVED_BODY, forms);
