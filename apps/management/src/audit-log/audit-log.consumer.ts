import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { OPERATIONS } from '@truetally/contracts/topics';
import { ResourceDatabase } from '@truetally/resource';
import { listAuditLog } from './list-audit-log.js';

@Controller()
export class AuditLogConsumer {
  constructor(@Inject(ResourceDatabase) private readonly database: ResourceDatabase) {}

  @MessagePattern(OPERATIONS.listAuditLog)
  list(@Payload() message: unknown) {
    return this.database.query(message, listAuditLog);
  }
}
