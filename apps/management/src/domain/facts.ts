import {
  CAMPAIGN_RECORD,
  CREDENTIAL_RECORD,
  ERASED_SITE,
  MEMBER_RECORD,
  SITE_RECORD,
  memberKey,
  type MemberName,
} from '@truetally/contracts/facts';
import {
  type CampaignResource,
  type MemberResource,
  type SiteResource,
  type WorkspaceState,
} from '@truetally/contracts/management';
import { TOPICS } from '@truetally/contracts/topics';
import type { ApiKey } from './api-key.js';
import { siteFields } from './site.js';

/** The public record of a site; `isSuspended` is its workspace's. */
export function siteFact(site: SiteResource, isSuspended: boolean) {
  const value = SITE_RECORD.encode({
    site_id: site.id,
    workspace_id: site.workspace_id,
    ...siteFields(site),
    suspended: isSuspended,
    version: site.version,
  });
  return { topic: TOPICS.sites.name, key: site.id, value };
}

/** Tells services for ever that nothing of a site is stored. */
export function siteErasedFact(siteId: string) {
  return { topic: TOPICS.sitesErased.name, key: siteId, value: ERASED_SITE.encode({ site_id: siteId }) };
}

/** The record by which gateways check a key. */
export function credentialFact({ resource, workspaceId, hash, limitId }: ApiKey) {
  const value = CREDENTIAL_RECORD.encode({
    key_id: resource.id,
    site_id: resource.site_id,
    workspace_id: workspaceId,
    prefix: resource.prefix,
    hash,
    scopes: resource.scopes,
    hourly_limit: resource.hourly_limit,
    limit_id: limitId,
    expires_at: resource.expires_at,
    revoked_at: resource.revoked_at,
    version: resource.version,
  });
  return { topic: TOPICS.credentials.name, key: resource.id, value };
}

/** The record by which gateways know a user's role and limit in a workspace. */
export function memberFact(member: MemberResource, { suspended, hourly_limit }: WorkspaceState) {
  const value = MEMBER_RECORD.encode({
    workspace_id: member.workspace_id,
    sub: member.sub,
    email: member.email,
    member_id: member.id,
    role: member.role,
    membership: member.membership,
    suspended,
    hourly_limit,
    version: member.version,
  });
  return { topic: TOPICS.members.name, key: memberKey(member), value };
}

/** Publishes that a person is no longer a member. */
export function memberGoneFact(name: MemberName) {
  return { topic: TOPICS.members.name, key: memberKey(name), value: null };
}

/** The record of a campaign for gateways and other services. */
export function campaignFact(campaign: CampaignResource) {
  const { id, site_id, workspace_id, type, name, status, schedule, targeting, content, version } = campaign;
  const value = CAMPAIGN_RECORD.encode({
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
