import { type MemberRole } from '../facts/member-record.js';
import type { Resource } from './resource.js';

export interface WorkspaceResource extends Resource {
  readonly name: string;
  readonly suspended: boolean;
  readonly hourly_limit: number;
}

/** A person in a workspace; `sub` is the identity provider's subject. */
export interface MemberResource extends Resource {
  readonly workspace_id: string;
  readonly sub: string;
  /** Nobody is invited by e-mail yet. */
  readonly email: null;
  readonly role: MemberRole;
}

/** Without the key's text and its hash: the text is added once, by the asker that minted it. */
export interface ApiKeyResource extends Resource {
  readonly site_id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly hourly_limit: number;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}
