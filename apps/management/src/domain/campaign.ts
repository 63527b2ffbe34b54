import { type CampaignFields, type CampaignResource, readCampaign } from '@truetally/contracts/management';
import type { BodyReading } from '@truetally/contracts/resource';
import { isJsonObject } from '@truetally/contracts/validation';
import { fail, patchFields } from '@truetally/kernel';

/**
 * A campaign after a patch, validated like a new one. Site and type never change, because events and
 * experiments count by them.
 */
export function patchCampaign(campaign: CampaignResource, patch: unknown): BodyReading<CampaignFields> {
  const patched = patchFields(fieldsOf(campaign), patch);
  if (!isJsonObject(patched)) return readCampaign(patched);
  const { site_id, type } = campaign;
  const isOfSite = String(patched['site_id']).toLowerCase() === site_id;
  // The content is validated for the unchanged type.
  const fields = readCampaign({ ...patched, site_id, type });
  if (isOfSite && patched['type'] === type) return fields;
  return fail({
    ...(isOfSite ? {} : { site_id: CANNOT_CHANGE }),
    ...(patched['type'] === type ? {} : { type: CANNOT_CHANGE }),
    ...(fields.ok ? {} : fields.error),
  });
}

/**
 * Maximum number of active campaigns per site: gateways keep them in memory, and one answer may contain all
 * of them.
 */
export const MAX_ACTIVE_CAMPAIGNS = 1_000;

/** Change in bytes of JSON of the site's active campaigns; negative for a reduction. */
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
