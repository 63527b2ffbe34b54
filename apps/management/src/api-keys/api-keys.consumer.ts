import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { readRecordKeyUse } from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { createApiKey } from './create-api-key.js';
import { listApiKeys } from './list-api-keys.js';
import { readApiKey } from './read-api-key.js';
import { recordKeyUse } from './record-key-use.js';
import { revokeApiKey } from './revoke-api-key.js';
import { rotateApiKey } from './rotate-api-key.js';
import { updateApiKey } from './update-api-key.js';

@Controller()
export class ApiKeysConsumer {
  constructor(@Inject(ResourceDatabase) private readonly database: ResourceDatabase) {}

  @MessagePattern(OPERATIONS.createApiKey)
  create(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, createApiKey);
  }

  @MessagePattern(OPERATIONS.listApiKeys)
  list(@Payload() message: unknown) {
    return this.database.query(message, listApiKeys);
  }

  @MessagePattern(OPERATIONS.readApiKey)
  read(@Payload() message: unknown) {
    return this.database.query(message, readApiKey);
  }

  @MessagePattern(OPERATIONS.updateApiKey)
  update(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, updateApiKey);
  }

  @MessagePattern(OPERATIONS.rotateApiKey)
  rotate(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, rotateApiKey);
  }

  @MessagePattern(OPERATIONS.revokeApiKey)
  revoke(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, revokeApiKey);
  }

  @MessagePattern(OPERATIONS.recordKeyUse)
  recordUse(@Payload() message: unknown) {
    return this.database.note(message, readRecordKeyUse, recordKeyUse);
  }
}
