import { SetMetadata } from '@nestjs/common';
import type { CallerRule } from '../credentials/credential-demand.js';

/**
 * What a route asks of its caller. Admission enforces it before the controller runs, from this declaration and
 * nothing else; a route without one stops the start.
 * - `public`: nothing.
 * - `listed-page`: a page at an origin that some site lists; nothing else.
 * - `event-writer`: an API key with `events:write` or a runtime token, in a header.
 * - `event-writer-or-beacon`: the same, or in the body of a page's beacon.
 * - `touch-writer-or-beacon`: a runtime token, in a header or in the body of a page's beacon; nothing else.
 * - `conversion-writer`: an API key with `partner_attribution:convert`, in its header.
 * - `attribution-reader`: an API key with `partner_attribution:read`, or any member of the site's workspace.
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

export function isCallerRule(rule: CredentialRule): rule is CallerRule {
  return rule !== 'public' && rule !== 'listed-page' && rule !== 'admin';
}

export const CREDENTIAL_RULE = 'truetally:credential-rule';
export const QUERY_PARAMETERS = 'truetally:query-parameters';
export const BODY_RULE = 'truetally:body-rule';
export const ANSWER_CLASS = 'truetally:answer-class';
export const ANSWERED_AT_EDGE = 'truetally:answered-at-edge';

export const Credential = (rule: CredentialRule) => SetMetadata(CREDENTIAL_RULE, rule);

/** The class of a route's answer, under `data`: one instance, or a page of them. */
export interface AnswerClass {
  readonly of: new () => object;
  readonly isPage: boolean;
}

export const Answers = (of: new () => object) =>
  SetMetadata(ANSWER_CLASS, { of, isPage: false } satisfies AnswerClass);
export const AnswersPageOf = (of: new () => object) =>
  SetMetadata(ANSWER_CLASS, { of, isPage: true } satisfies AnswerClass);

/** The query parameters that a route accepts; any other is 400. Default: none. */
export const KnownQuery = (...names: readonly string[]) => SetMetadata(QUERY_PARAMETERS, names);

/**
 * The edge calls the method directly, with only the response: Express and Nest would route it again, for a
 * tenth of the gateway's processor time. For hot routes without path parameters: events, and assignments.
 */
export const AnsweredAtEdge = () => SetMetadata(ANSWERED_AT_EDGE, true);

/** Interface page, section 1: 1 MiB, except on routes that declare another limit. */
const BODY_LIMIT_BYTES = 1024 * 1024;

/** The body of a route, and a request's cost by it. */
export interface BodyRule {
  /** Of the body as sent, and after decompression. */
  readonly limitBytes: number;
  /** Whether it may be absent: all its fields have defaults. */
  readonly isOptional: boolean;
  readonly costOf: (body: unknown) => number;
}

/**
 * The route accepts JSON, which its controller gets from `exchange.takeBody()`. Without this decorator no
 * body is read.
 */
export const JsonBody = ({
  limitBytes = BODY_LIMIT_BYTES,
  isOptional = false,
  costOf = () => 1,
}: Partial<BodyRule> = {}) => SetMetadata(BODY_RULE, { limitBytes, isOptional, costOf } satisfies BodyRule);
