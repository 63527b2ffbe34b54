import {
  MEMBER_ROLES,
  type MemberResource,
  type MemberRole,
  type WorkspaceResource,
} from '@truetally/contracts';
import { formatInstant } from '@truetally/kernel';
import {
  flag,
  freeText,
  identifier,
  integer,
  oneOf,
  optional,
  readBody,
  required,
  uuid,
  withDefault,
} from './field-rules.js';

export interface Workspace {
  readonly workspaceId: string;
  readonly name: string;
  readonly isSuspended: boolean;
  /** Requests per clock hour (UTC) over all ID tokens of its members (interface, section 3). */
  readonly hourlyLimit: number;
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** A person in a workspace, known by the identity provider's subject. */
export interface Member {
  readonly memberId: string;
  readonly workspaceId: string;
  readonly subject: string;
  readonly role: MemberRole;
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

const MAX_NAME_LENGTH = 120;
/** OpenID Connect Core, section 2: a subject is at most 255 characters. */
const MAX_SUBJECT_LENGTH = 255;

/** Requests per clock hour over all ID tokens of a workspace. */
const MAX_HOURLY_LIMIT = 100_000_000;
const DEFAULT_HOURLY_LIMIT = 10_000;

export const nameRule = freeText(MAX_NAME_LENGTH);
/** Who gives the command; absent when it is the platform itself. */
export const actorField = optional(identifier(MAX_SUBJECT_LENGTH));

export const readCreateWorkspace = (body: unknown) =>
  readBody(body, {
    actor: actorField,
    name: required(nameRule),
    owner_sub: required(identifier(MAX_SUBJECT_LENGTH)),
    hourly_limit: withDefault(integer(1, MAX_HOURLY_LIMIT), DEFAULT_HOURLY_LIMIT),
  });

export const readAddMember = (body: unknown) =>
  readBody(body, {
    actor: actorField,
    workspace_id: required(uuid),
    sub: required(identifier(MAX_SUBJECT_LENGTH)),
    role: required(oneOf(MEMBER_ROLES)),
  });

export const readSuspendWorkspace = (body: unknown) =>
  readBody(body, { actor: actorField, workspace_id: required(uuid), suspended: required(flag) });

export function newMember({
  nowMs,
  ...member
}: Pick<Member, 'memberId' | 'workspaceId' | 'subject' | 'role'> & { readonly nowMs: number }): Member {
  return { ...member, version: 1, createdAtMs: nowMs, updatedAtMs: nowMs };
}

/** The resource as answers carry it (interface, section 9). */
export function presentWorkspace(workspace: Workspace): WorkspaceResource {
  return {
    id: workspace.workspaceId,
    name: workspace.name,
    suspended: workspace.isSuspended,
    hourly_limit: workspace.hourlyLimit,
    version: workspace.version,
    created_at: formatInstant(workspace.createdAtMs),
    updated_at: formatInstant(workspace.updatedAtMs),
  };
}

/** The resource as answers carry it (interface, section 9). */
export function presentMember(member: Member): MemberResource {
  return {
    id: member.memberId,
    workspace_id: member.workspaceId,
    sub: member.subject,
    email: null,
    role: member.role,
    version: member.version,
    created_at: formatInstant(member.createdAtMs),
    updated_at: formatInstant(member.updatedAtMs),
  };
}
