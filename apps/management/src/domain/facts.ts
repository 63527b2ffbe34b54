import {
  type CampaignResource,
  encodeCampaignRecord,
  encodeCredentialRecord,
  encodeMemberRecord,
  encodeSiteRecord,
  memberKey,
  type SiteResource,
  TOPICS,
} from '@truetally/contracts';
import { formatInstant } from '@truetally/kernel';
import type { ApiKey } from './api-key.js';
import { siteFields } from './site.js';
import type { Member, Workspace } from './workspace.js';

/** What everybody else may know of a site; `isSuspended` is its workspace's. */
export function siteFact(site: SiteResource, isSuspended: boolean) {
  const value = encodeSiteRecord({
    site_id: site.id,
    workspace_id: site.workspace_id,
    ...siteFields(site),
    suspended: isSuspended,
    version: site.version,
  });
  return { topic: TOPICS.sites.name, key: site.id, value };
}

/** What a gateway needs to check a key. */
export function credentialFact(key: ApiKey) {
  const value = encodeCredentialRecord({
    key_id: key.keyId,
    site_id: key.siteId,
    workspace_id: key.workspaceId,
    prefix: key.prefix,
    hash: key.hash,
    scopes: key.scopes,
    hourly_limit: key.hourlyLimit,
    limit_id: key.limitId,
    expires_at: key.expiresAtMs === null ? null : formatInstant(key.expiresAtMs),
    revoked_at: key.revokedAtMs === null ? null : formatInstant(key.revokedAtMs),
  });
  return { topic: TOPICS.credentials.name, key: key.keyId, value };
}

/** What a gateway needs to know what a user may do in a workspace, and how often. */
export function memberFact(
  member: Member,
  { isSuspended, hourlyLimit }: Pick<Workspace, 'isSuspended' | 'hourlyLimit'>,
) {
  const record = {
    workspace_id: member.workspaceId,
    sub: member.subject,
    role: member.role,
    suspended: isSuspended,
    hourly_limit: hourlyLimit,
  };
  return { topic: TOPICS.members.name, key: memberKey(record), value: encodeMemberRecord(record) };
}

/** What gateways need to show a campaign, and other services to know what it is. */
export function campaignFact(campaign: CampaignResource) {
  const { id, site_id, workspace_id, type, name, status, schedule, targeting, content, version } = campaign;
  const value = encodeCampaignRecord({
    campaign_id: id,
    site_id,
    workspace_id,
    type,
    name,
    status,
    schedule: { from: schedule?.from ?? null, to: schedule?.to ?? null },
    targeting: {
      page_url_contains: targeting?.page_url_contains ?? [],
      languages: targeting?.languages ?? [],
      device_types: targeting?.device_types ?? [],
    },
    content,
    version,
    created_at: campaign.created_at,
  });
  return { topic: TOPICS.campaigns.name, key: id, value };
}
