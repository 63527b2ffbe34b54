import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { acceptMembership } from './accept-membership.js';
import { createMember } from './create-member.js';
import { declineMembership } from './decline-membership.js';
import { deleteMember } from './delete-member.js';
import { listMembers } from './list-members.js';
import { readMember } from './read-member.js';
import { updateMember } from './update-member.js';

@Controller()
export class MembersConsumer {
  constructor(@Inject(ResourceDatabase) private readonly database: ResourceDatabase) {}

  @MessagePattern(OPERATIONS.createMember)
  create(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, createMember);
  }

  @MessagePattern(OPERATIONS.listMembers)
  list(@Payload() message: unknown) {
    return this.database.query(message, listMembers);
  }

  @MessagePattern(OPERATIONS.readMember)
  read(@Payload() message: unknown) {
    return this.database.query(message, readMember);
  }

  @MessagePattern(OPERATIONS.updateMember)
  update(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, updateMember);
  }

  @MessagePattern(OPERATIONS.acceptMembership)
  accept(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, acceptMembership);
  }

  @MessagePattern(OPERATIONS.declineMembership)
  decline(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, declineMembership);
  }

  @MessagePattern(OPERATIONS.deleteMember)
  delete(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, deleteMember);
  }
}
