import type { WorkspaceResource } from '@truetally/contracts';
import { formatInstant } from '@truetally/kernel';
import { flag, freeText, identifier, optional, readBody, required, uuid } from './field-rules.js';

export interface Workspace {
  readonly workspaceId: string;
  readonly name: string;
  readonly isSuspended: boolean;
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export type MemberRole = 'owner' | 'admin' | 'analyst';

/** A person in a workspace, known by the identity provider's subject, or by e-mail until the first visit. */
export interface Member {
  readonly memberId: string;
  readonly workspaceId: string;
  readonly subject: string | null;
  readonly email: string | null;
  readonly role: MemberRole;
}

const MAX_NAME_LENGTH = 120;
/** OpenID Connect Core, section 2: a subject is at most 255 characters. */
const MAX_SUBJECT_LENGTH = 255;

export const nameRule = freeText(MAX_NAME_LENGTH);
/** Who gives the command; absent when it is the platform itself. */
export const actorField = optional(identifier(MAX_SUBJECT_LENGTH));

export const readCreateWorkspace = (body: unknown) =>
  readBody(body, {
    actor: actorField,
    name: required(nameRule),
    owner_sub: required(identifier(MAX_SUBJECT_LENGTH)),
  });

export const readSuspendWorkspace = (body: unknown) =>
  readBody(body, { actor: actorField, workspace_id: required(uuid), suspended: required(flag) });

/** The resource as answers carry it (interface, section 9). */
export function presentWorkspace(workspace: Workspace): WorkspaceResource {
  return {
    id: workspace.workspaceId,
    name: workspace.name,
    suspended: workspace.isSuspended,
    version: workspace.version,
    created_at: formatInstant(workspace.createdAtMs),
    updated_at: formatInstant(workspace.updatedAtMs),
  };
}
