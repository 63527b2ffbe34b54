import { fail, type Result, succeed } from '@truetally/kernel';
import { API_KEY_HASH_PATTERN } from '../credentials/api-key.js';
import { RecordReader } from './record-reader.js';

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

/** Writes the value of `credentials.v1`. */
export function encodeCredentialRecord(record: CredentialRecord): string {
  return JSON.stringify(record);
}

/** Reads a value of `credentials.v1`; never throws. The error names the fields, never their values. */
export function parseCredentialRecord(text: string): Result<CredentialRecord, string> {
  const reader = RecordReader.of(text);
  if (reader === undefined) return fail('not a JSON object');
  const record: CredentialRecord = {
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
  };
  const faults = [...reader.faultsWith()];
  if (!API_KEY_HASH_PATTERN.test(record.hash)) faults.push('hash');
  return faults.length === 0 ? succeed(record) : fail(`unreadable: ${faults.join(', ')}`);
}
