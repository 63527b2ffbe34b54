import type { ManagementQuery, Page, StoredMedia } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import { pageOfMedia } from '../storage/media.store.js';
import type { Queryable } from '../storage/page.js';

export function listMedia(client: Queryable, query: ManagementQuery): Promise<Reply<Page<StoredMedia>>> {
  return pageOfMedia(client, query);
}
