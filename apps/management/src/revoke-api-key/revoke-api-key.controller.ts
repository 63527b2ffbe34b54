import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts';
import { type Reply } from '@truetally/kernel';
import { type AskContext } from '@truetally/messaging';
import { RevokeApiKeyHandler } from './revoke-api-key.handler.js';

@Controller()
export class RevokeApiKeyController {
  constructor(@Inject(RevokeApiKeyHandler) private readonly handler: RevokeApiKeyHandler) {}

  @MessagePattern(TOPICS.revokeApiKey.name)
  revokeApiKey(@Payload() body: unknown, @Ctx() context: AskContext): Promise<Reply<unknown>> {
    return this.handler.handle(body, context.correlationId);
  }
}
