import type { StoredMedia } from '@truetally/contracts/management';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import { pageOfMedia } from '../storage/media.store.js';

export function listMedia(client: Queryable, query: ResourceQuery): Promise<Reply<Page<StoredMedia>>> {
  return pageOfMedia(client, query);
}
