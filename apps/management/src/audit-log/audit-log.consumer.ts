import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts/topics';
import { Database } from '../storage/database.js';
import { listAuditLog } from './list-audit-log.js';

@Controller()
export class AuditLogConsumer {
  constructor(@Inject(Database) private readonly database: Database) {}

  @MessagePattern(TOPICS.listAuditLog.name)
  list(@Payload() message: unknown) {
    return this.database.query(message, listAuditLog);
  }
}
