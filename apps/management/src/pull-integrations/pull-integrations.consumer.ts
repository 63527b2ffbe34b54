import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { readRecordSync } from '@truetally/contracts/publisher';
import { OPERATIONS, TOPICS } from '@truetally/contracts/topics';
import { type AskContext } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { beginSettlementsImport } from './begin-settlements-import.js';
import { beginWorkerJob } from './begin-worker-job.js';
import { readAccess, readIntegrationAccess } from './read-integration-access.js';
import { recordSync } from './record-sync.js';

@Controller()
export class PullIntegrationsConsumer {
  constructor(@Inject(ResourceDatabase) private readonly database: ResourceDatabase) {}

  @MessagePattern(OPERATIONS.beginSettlementsImport)
  beginImport(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, beginSettlementsImport);
  }

  @MessagePattern(OPERATIONS.beginWorkerJob)
  beginWorkerJob(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, beginWorkerJob);
  }

  @MessagePattern(TOPICS.readIntegrationAccess.name)
  readAccess(@Payload() message: unknown) {
    return this.database.note(message, readAccess, readIntegrationAccess);
  }

  @MessagePattern(TOPICS.recordSync.name)
  recordSync(@Payload() message: unknown) {
    return this.database.note(message, readRecordSync, recordSync);
  }
}
