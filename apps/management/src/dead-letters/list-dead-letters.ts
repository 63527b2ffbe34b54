import type { DeadLetterResource } from '@truetally/contracts/management';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import { pageOfDeadLetters } from '../storage/dead-letter.store.js';

export function listDeadLetters(
  client: Queryable,
  query: ResourceQuery,
): Promise<Reply<Page<DeadLetterResource>>> {
  return pageOfDeadLetters(client, query);
}
