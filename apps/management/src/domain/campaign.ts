import { type CampaignFields, type CampaignResource, readCampaign } from '@truetally/contracts/management';
import type { BodyReading } from '@truetally/contracts/resource';
import { isJsonObject } from '@truetally/contracts/validation';
import { fail, patchFields } from '@truetally/kernel';

/** What a patch makes of a campaign, judged like a new one. Its site and type are what events and experiments count by: they stay. */
export function patchCampaign(campaign: CampaignResource, patch: unknown): BodyReading<CampaignFields> {
  const patched = patchFields(fieldsOf(campaign), patch);
  if (!isJsonObject(patched)) return readCampaign(patched);
  const { site_id, type } = campaign;
  const isOfSite = String(patched['site_id']).toLowerCase() === site_id;
  // The content is judged by the type that stays.
  const fields = readCampaign({ ...patched, site_id, type });
  if (isOfSite && patched['type'] === type) return fields;
  return fail({
    ...(isOfSite ? {} : { site_id: CANNOT_CHANGE }),
    ...(patched['type'] === type ? {} : { type: CANNOT_CHANGE }),
    ...(fields.ok ? {} : fields.error),
  });
}

/** What a page may be shown at once at most: gateways keep it in memory, and an answer holds all of it. */
export const MAX_ACTIVE_CAMPAIGNS = 1_000;

/** How many bytes of JSON a change adds to what the site's active campaigns hold; negative where it takes some away. */
export function addedActiveBytes(before: CampaignFields | undefined, after: CampaignFields): number {
  return activeBytes(after) - activeBytes(before);
}

function activeBytes(campaign: CampaignFields | undefined): number {
  return campaign?.status === 'active' ? Buffer.byteLength(JSON.stringify(campaign.content)) : 0;
}

const CANNOT_CHANGE = ['cannot be changed'];

function fieldsOf(campaign: CampaignResource): CampaignFields {
  const { site_id, type, name, status, schedule, targeting, content } = campaign;
  return { site_id, type, name, status, schedule, targeting, content };
}
