import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts';
import { type Reply } from '@truetally/kernel';
import { type AskContext } from '@truetally/messaging';
import { SuspendWorkspaceHandler } from './suspend-workspace.handler.js';

@Controller()
export class SuspendWorkspaceController {
  constructor(@Inject(SuspendWorkspaceHandler) private readonly handler: SuspendWorkspaceHandler) {}

  @MessagePattern(TOPICS.suspendWorkspace.name)
  suspendWorkspace(@Payload() body: unknown, @Ctx() context: AskContext): Promise<Reply<unknown>> {
    return this.handler.handle(body, context.correlationId);
  }
}
