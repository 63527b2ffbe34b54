import { type Scope } from '../credentials/scopes.js';
import { type MemberRole } from '../facts/member-record.js';

/** Every command may name who gives it (the user's `sub`); absent when it is the platform itself. */
interface Command {
  readonly actor?: string | null;
}

/** `management.create-workspace`; answered with a `WorkspaceResource`. */
export interface CreateWorkspace extends Command {
  /** 1–120 characters. */
  readonly name: string;
  /** The identity provider's subject of the first owner. */
  readonly owner_sub: string;
  /** Requests per clock hour (UTC) over all ID tokens of its members; 10,000 when absent. */
  readonly hourly_limit?: number | null;
}

/** `management.add-member`; answered with a `MemberResource`. */
export interface AddMember extends Command {
  readonly workspace_id: string;
  /** The identity provider's subject. */
  readonly sub: string;
  readonly role: MemberRole;
}

/** `management.suspend-workspace`; answered with a `WorkspaceResource`. */
export interface SuspendWorkspace extends Command {
  readonly workspace_id: string;
  readonly suspended: boolean;
}

/** `management.create-api-key`; answered with an `ApiKeyResource`. The asker minted the key and keeps its text to itself. */
export interface CreateApiKey extends Command {
  readonly workspace_id: string;
  readonly site_id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Requests per clock hour (UTC); 1,000 when absent. */
  readonly hourly_limit?: number | null;
  readonly expires_at?: string | null;
  readonly prefix: string;
  readonly hash: string;
}

/** `management.revoke-api-key`; answered with an `ApiKeyResource`. */
export interface RevokeApiKey extends Command {
  readonly workspace_id: string;
  readonly site_id: string;
  readonly key_id: string;
}
