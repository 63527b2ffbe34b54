import type { StoredMedia } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import { type Queryable, paramOf } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { findMedia } from '../storage/media.store.js';

export async function readMedia(client: Queryable, query: ResourceQuery): Promise<Reply<StoredMedia>> {
  const media = await findMedia(client, query.workspace_id, paramOf(query.params, 'media_id'));
  return media === undefined ? refusals.noMedia() : { ok: media };
}
