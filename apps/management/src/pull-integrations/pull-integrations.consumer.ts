import { Controller } from '@nestjs/common';
import type { ReadIntegrationAccess, RecordSync } from '@truetally/contracts/publisher';
import type { ResourceCommand } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { beginSettlementsImport } from './begin-settlements-import.js';
import { beginWorkerJob } from './begin-worker-job.js';
import { readIntegrationAccess } from './read-integration-access.js';
import { recordSync } from './record-sync.js';

@Controller()
export class PullIntegrationsConsumer {
  constructor(private readonly database: ResourceDatabase) {}

  @Handles(OPERATIONS.beginSettlementsImport)
  beginImport(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, beginSettlementsImport);
  }

  @Handles(OPERATIONS.beginWorkerJob)
  beginWorkerJob(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, beginWorkerJob);
  }

  @Handles(OPERATIONS.readIntegrationAccess)
  readAccess(asked: ReadIntegrationAccess) {
    return this.database.note(asked, readIntegrationAccess);
  }

  @Handles(OPERATIONS.recordSync)
  recordSync(told: RecordSync) {
    return this.database.note(told, recordSync);
  }
}
