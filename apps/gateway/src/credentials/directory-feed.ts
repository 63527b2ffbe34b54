import { CREDENTIAL_RECORD, memberNameOf, MEMBER_RECORD, SITE_RECORD } from '@truetally/contracts/facts';
import { parseInstant } from '@truetally/kernel';
import type { KeyDirectory } from './key-directory.js';
import type { MemberDirectory } from './member-directory.js';
import type { Site, SiteDirectory } from './site-directory.js';

/** Reports an unreadable fact by the id of what it is about, which is nobody's name; the message names fields, never their values. */
export type OnUnreadable = (topic: string, id: string, fault: string) => void;

/**
 * Applies a `sites.v1` fact. An unreadable site is removed: a broken fact must not keep access open.
 * @param incarnation of the fact
 */
export function applySite(
  sites: SiteDirectory,
  siteId: string,
  value: string | null,
  onUnreadable: OnUnreadable,
  incarnation = 0,
): void {
  if (value === null) return sites.remove(siteId, incarnation);
  const record = SITE_RECORD.parse(value);
  if (!record.ok) {
    onUnreadable('sites.v1', siteId, record.error);
    return sites.forget(siteId);
  }
  const { workspace_id, version, allowed_origins, suspended, partner, publisher_mode } = record.value;
  const site: Site = {
    siteId,
    workspaceId: workspace_id,
    incarnation,
    version,
    isSuspended: suspended,
    allowedOrigins: new Set(allowed_origins),
    partner,
    publisherMode: publisher_mode,
    timeZone: record.value.timezone,
    runtimeLimit: { subject: `site:${siteId}`, perHour: record.value.runtime_hourly_limit },
  };
  sites.put(site);
}

/** Applies a `credentials.v1` fact; unreadable ones are removed too. */
export function applyCredential(
  keys: KeyDirectory,
  keyId: string,
  value: string | null,
  onUnreadable: OnUnreadable,
  incarnation = 0,
): void {
  if (value === null) return keys.remove(keyId, incarnation);
  const record = CREDENTIAL_RECORD.parse(value);
  if (!record.ok) {
    onUnreadable('credentials.v1', keyId, record.error);
    return keys.forget(keyId);
  }
  const { site_id, hash, prefix, scopes, expires_at, revoked_at, limit_id, hourly_limit, version } =
    record.value;
  keys.put({
    keyId,
    siteId: site_id,
    hash,
    prefix,
    scopes,
    expiresAtMs: expires_at === null ? Infinity : (parseInstant(expires_at)?.epochMs ?? 0),
    isRevoked: revoked_at !== null,
    limitId: limit_id,
    perHour: hourly_limit,
    incarnation,
    version,
  });
}

/** Applies a `members.v1` fact, whose key names the member; unreadable ones are removed too. */
export function applyMember(
  members: MemberDirectory,
  key: string,
  value: string | null,
  onUnreadable: OnUnreadable,
  incarnation = 0,
): void {
  const name = memberNameOf(key);
  if (name === undefined) return onUnreadable('members.v1', '', 'no key of a member');
  if (value === null) return members.remove(name, incarnation);
  const record = MEMBER_RECORD.parse(value);
  if (!record.ok) {
    onUnreadable('members.v1', name.workspace_id, record.error);
    return members.forget(name);
  }
  const { member_id, version, role, membership, suspended, hourly_limit } = record.value;
  const workspaceId = name.workspace_id;
  members.put(name, {
    workspaceId,
    memberId: member_id,
    incarnation,
    version,
    role,
    isAccepted: membership === 'accepted',
    isSuspended: suspended,
    limit: { subject: `workspace:${workspaceId}`, perHour: hourly_limit },
  });
}
