import { MEMBER_ROLES, type MemberRole, type Membership, MEMBERSHIPS } from '../facts/member-record.js';
import { Resource } from '../resource/resource.js';
import type { BodyReading } from '../resource/request.js';
import { fail, numberOf, succeed, toStorableText } from '@truetally/kernel';
import { compileValidator, toFieldErrors } from '../validation/compile-validator.js';
import { Flag, Nested, OneOf, Optional, PlainName, WholeNumber } from '../validation/decorators.js';

import { type Quotas, QuotasBody, quotasOf, WorkspaceQuotas } from './quotas.js';

const NAME = { max: 120 };
const WORKSPACE_HOURLY_LIMIT = { min: 1, max: 100_000_000 };
/** Requests per clock hour (UTC) over all ID tokens of a workspace (interface page, section 3). */
export const DEFAULT_WORKSPACE_HOURLY_LIMIT = 10_000;

/** Stands for the workspace's id in requests without one: `GET` and `POST /workspaces`. */
export const NO_WORKSPACE = '00000000-0000-0000-0000-000000000000';

/** Body of `POST /workspaces`, and what a workspace is after a `PATCH` (interface page, section 9). */
export class WorkspaceBody {
  /** Whoever is invited reads it. */
  @PlainName(NAME) name!: string;
}

/**
 * Settings that only the platform changes: `PATCH /api/admin/workspaces/{id}` (interface page, section 11).
 */
export class WorkspaceStateBody {
  @Optional() @Flag() suspended?: boolean | null;
  @Optional() @WholeNumber(WORKSPACE_HOURLY_LIMIT) hourly_limit?: number | null;
  @Optional() @Nested(() => QuotasBody) quotas?: QuotasBody | null;
}

export interface WorkspaceFields {
  readonly name: string;
}

/** What an operator sets for a workspace. */
export interface WorkspaceState {
  /** Its keys, its members' tokens and its sites are refused. */
  readonly suspended: boolean;
  /** Requests per clock hour (UTC) over all ID tokens of its members. */
  readonly hourly_limit: number;
  readonly quotas: Quotas;
}

/** A workspace as clients read it. */
export class WorkspaceResource extends Resource implements WorkspaceFields, WorkspaceState {
  @PlainName(NAME) readonly name!: string;
  @Flag() readonly suspended!: boolean;
  @WholeNumber(WORKSPACE_HOURLY_LIMIT) readonly hourly_limit!: number;
  @Nested(() => WorkspaceQuotas) readonly quotas!: WorkspaceQuotas;
}

/** An item of `GET /workspaces`, with the caller's membership. */
export class OwnWorkspace extends WorkspaceResource {
  @OneOf(MEMBER_ROLES) readonly role!: MemberRole;
  @OneOf(MEMBERSHIPS) readonly membership!: Membership;
}

const validateFields = compileValidator(WorkspaceBody, { unknownFields: 'refused' });
const validateState = compileValidator(WorkspaceStateBody, { unknownFields: 'refused-everywhere' });

/** Every broken rule, or the workspace in the body. */
export function readWorkspace(body: unknown): BodyReading<WorkspaceFields> {
  const violations = validateFields(body);
  if (violations.length > 0) return fail(toFieldErrors(violations));
  return succeed({ name: toStorableText((body as WorkspaceBody).name) });
}

/** The same for the settings that only the platform changes. */
export function readWorkspaceState(body: unknown): BodyReading<WorkspaceState> {
  const violations = validateState(body);
  if (violations.length > 0) return fail(toFieldErrors(violations));
  const state = body as WorkspaceStateBody;
  return succeed({
    suspended: state.suspended ?? false,
    hourly_limit: numberOf(state.hourly_limit ?? DEFAULT_WORKSPACE_HOURLY_LIMIT),
    quotas: quotasOf(state.quotas),
  });
}
