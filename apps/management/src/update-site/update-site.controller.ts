import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts';
import { type Reply } from '@truetally/kernel';
import { type AskContext } from '@truetally/messaging';
import { UpdateSiteHandler } from './update-site.handler.js';

@Controller()
export class UpdateSiteController {
  constructor(@Inject(UpdateSiteHandler) private readonly handler: UpdateSiteHandler) {}

  @MessagePattern(TOPICS.updateSite.name)
  updateSite(@Payload() body: unknown, @Ctx() context: AskContext): Promise<Reply<unknown>> {
    return this.handler.handle(body, context.correlationId);
  }
}
