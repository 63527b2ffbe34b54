import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts';
import { type Reply } from '@truetally/kernel';
import { type AskContext } from '@truetally/messaging';
import { CreateApiKeyHandler } from './create-api-key.handler.js';

@Controller()
export class CreateApiKeyController {
  constructor(@Inject(CreateApiKeyHandler) private readonly handler: CreateApiKeyHandler) {}

  @MessagePattern(TOPICS.createApiKey.name)
  createApiKey(@Payload() body: unknown, @Ctx() context: AskContext): Promise<Reply<unknown>> {
    return this.handler.handle(body, context.correlationId);
  }
}
