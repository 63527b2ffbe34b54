import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts';
import { type Reply } from '@truetally/kernel';
import { type AskContext } from '@truetally/messaging';
import { CreateWorkspaceHandler } from './create-workspace.handler.js';

@Controller()
export class CreateWorkspaceController {
  constructor(@Inject(CreateWorkspaceHandler) private readonly handler: CreateWorkspaceHandler) {}

  @MessagePattern(TOPICS.createWorkspace.name)
  createWorkspace(@Payload() body: unknown, @Ctx() context: AskContext): Promise<Reply<unknown>> {
    return this.handler.handle(body, context.correlationId);
  }
}
