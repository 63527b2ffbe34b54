import { Controller } from '@nestjs/common';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { listAuditLog } from './list-audit-log.js';

@Controller()
export class AuditLogConsumer {
  constructor(private readonly database: ResourceDatabase) {}

  @Handles(OPERATIONS.listAuditLog)
  list(query: ResourceQuery) {
    return this.database.query(query, listAuditLog);
  }
}
