import type { AuditEntryResource, ManagementQuery, Page } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import { pageOfAuditLog } from '../storage/audit-log.store.js';
import type { Queryable } from '../storage/page.js';

export function listAuditLog(
  client: Queryable,
  query: ManagementQuery,
): Promise<Reply<Page<AuditEntryResource>>> {
  return pageOfAuditLog(client, query);
}
