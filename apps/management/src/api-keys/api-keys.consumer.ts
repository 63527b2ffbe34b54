import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { readRecordKeyUse } from '@truetally/contracts/management';
import { TOPICS } from '@truetally/contracts/topics';
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

  @MessagePattern(TOPICS.createApiKey.name)
  create(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, createApiKey);
  }

  @MessagePattern(TOPICS.listApiKeys.name)
  list(@Payload() message: unknown) {
    return this.database.query(message, listApiKeys);
  }

  @MessagePattern(TOPICS.readApiKey.name)
  read(@Payload() message: unknown) {
    return this.database.query(message, readApiKey);
  }

  @MessagePattern(TOPICS.updateApiKey.name)
  update(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, updateApiKey);
  }

  @MessagePattern(TOPICS.rotateApiKey.name)
  rotate(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, rotateApiKey);
  }

  @MessagePattern(TOPICS.revokeApiKey.name)
  revoke(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, revokeApiKey);
  }

  @MessagePattern(TOPICS.recordKeyUse.name)
  recordUse(@Payload() message: unknown) {
    return this.database.note(message, readRecordKeyUse, recordKeyUse);
  }
}
