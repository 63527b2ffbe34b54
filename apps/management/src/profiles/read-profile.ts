import type { ResourceQuery } from '@truetally/contracts/resource';
import type { Queryable, WrittenReply } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { findProfile } from '../storage/profile.store.js';

/** A profile by the site and the merchant's id of the person, which no path parameter can hold. */
export async function readProfile(client: Queryable, query: ResourceQuery): Promise<WrittenReply> {
  const { site_id: siteId, user_id: userId } = query.filters;
  if (siteId === undefined || userId === undefined) return refusals.noProfile();
  const profile = await findProfile(client, query.workspace_id, { siteId, userId });
  return profile === undefined ? refusals.noProfile() : `{"ok":${profile}}`;
}
