import type { AuditEntryResource } from '@truetally/contracts/management';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import { pageOfAuditLog } from '../storage/audit-log.store.js';

export function listAuditLog(
  client: Queryable,
  query: ResourceQuery,
): Promise<Reply<Page<AuditEntryResource>>> {
  return pageOfAuditLog(client, query);
}
