import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts';
import { type Reply } from '@truetally/kernel';
import { type AskContext } from '@truetally/messaging';
import { CreateSiteHandler } from './create-site.handler.js';

@Controller()
export class CreateSiteController {
  constructor(@Inject(CreateSiteHandler) private readonly handler: CreateSiteHandler) {}

  @MessagePattern(TOPICS.createSite.name)
  createSite(@Payload() body: unknown, @Ctx() context: AskContext): Promise<Reply<unknown>> {
    return this.handler.handle(body, context.correlationId);
  }
}
