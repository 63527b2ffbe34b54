import { API_KEY_HASH_PATTERN } from '../credentials/api-key.js';
import { recordCodec } from './record-codec.js';

/** The value of `credentials.v1`, key `key_id`; a null value means that the key is deleted. */
export interface CredentialRecord {
  readonly key_id: string;
  readonly site_id: string;
  readonly workspace_id: string;
  readonly prefix: string;
  /** Lowercase hexadecimal SHA-256 of the whole key. The key itself is never stored. */
  readonly hash: string;
  /** Text, not `Scope`: an older reader keeps a scope that it does not know. */
  readonly scopes: readonly string[];
  readonly hourly_limit: number;
  /** Key of the hourly limit, shared by the keys of one rotation. */
  readonly limit_id: string;
  /** ISO 8601 UTC. */
  readonly expires_at: string | null;
  /** ISO 8601 UTC. */
  readonly revoked_at: string | null;
  readonly version: number;
}

/** Writes and reads the value of `credentials.v1`. */
export const CREDENTIAL_RECORD = recordCodec(
  (reader): CredentialRecord => ({
    key_id: reader.text('key_id'),
    site_id: reader.text('site_id'),
    workspace_id: reader.text('workspace_id'),
    prefix: reader.text('prefix'),
    hash: reader.text('hash'),
    scopes: reader.texts('scopes'),
    hourly_limit: reader.integer('hourly_limit'),
    limit_id: reader.text('limit_id'),
    expires_at: reader.instantOrNull('expires_at'),
    revoked_at: reader.instantOrNull('revoked_at'),
    version: reader.integer('version'),
  }),
  ({ hash }) => (API_KEY_HASH_PATTERN.test(hash) ? [] : ['hash']),
);
