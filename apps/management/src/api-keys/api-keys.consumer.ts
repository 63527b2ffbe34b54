import { Controller } from '@nestjs/common';
import type { RecordKeyUse } from '@truetally/contracts/management';
import type { ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { logged } from '../audit-log/logged.js';
import { createApiKey } from './create-api-key.js';
import { listApiKeys } from './list-api-keys.js';
import { readApiKey } from './read-api-key.js';
import { recordKeyUse } from './record-key-use.js';
import { revokeApiKey } from './revoke-api-key.js';
import { rotateApiKey } from './rotate-api-key.js';
import { updateApiKey } from './update-api-key.js';

@Controller()
export class ApiKeysConsumer {
  constructor(private readonly database: ResourceDatabase) {}

  @Handles(OPERATIONS.createApiKey)
  create(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, logged(createApiKey));
  }

  @Handles(OPERATIONS.listApiKeys)
  list(query: ResourceQuery) {
    return this.database.query(query, listApiKeys);
  }

  @Handles(OPERATIONS.readApiKey)
  read(query: ResourceQuery) {
    return this.database.query(query, readApiKey);
  }

  @Handles(OPERATIONS.updateApiKey)
  update(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, logged(updateApiKey));
  }

  @Handles(OPERATIONS.rotateApiKey)
  rotate(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, logged(rotateApiKey));
  }

  @Handles(OPERATIONS.revokeApiKey)
  revoke(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, revokeApiKey);
  }

  @Handles(OPERATIONS.recordKeyUse)
  recordUse(told: RecordKeyUse) {
    return this.database.note(told, recordKeyUse);
  }
}
