import type { ManagementQuery, StoredMedia } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import { refusals } from '../domain/refusals.js';
import { findMedia } from '../storage/media.store.js';
import type { Queryable } from '../storage/page.js';

export async function readMedia(client: Queryable, query: ManagementQuery): Promise<Reply<StoredMedia>> {
  const media = await findMedia(client, query.workspace_id, query.params['media_id']);
  return media === undefined ? refusals.noMedia() : { ok: media };
}
