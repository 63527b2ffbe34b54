import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts';
import { type Reply } from '@truetally/kernel';
import { type AskContext } from '@truetally/messaging';
import { AddMemberHandler } from './add-member.handler.js';

@Controller()
export class AddMemberController {
  constructor(@Inject(AddMemberHandler) private readonly handler: AddMemberHandler) {}

  @MessagePattern(TOPICS.addMember.name)
  addMember(@Payload() body: unknown, @Ctx() context: AskContext): Promise<Reply<unknown>> {
    return this.handler.handle(body, context.correlationId);
  }
}
