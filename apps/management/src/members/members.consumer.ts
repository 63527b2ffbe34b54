import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts/topics';
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

  @MessagePattern(TOPICS.createMember.name)
  create(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, createMember);
  }

  @MessagePattern(TOPICS.listMembers.name)
  list(@Payload() message: unknown) {
    return this.database.query(message, listMembers);
  }

  @MessagePattern(TOPICS.readMember.name)
  read(@Payload() message: unknown) {
    return this.database.query(message, readMember);
  }

  @MessagePattern(TOPICS.updateMember.name)
  update(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, updateMember);
  }

  @MessagePattern(TOPICS.acceptMembership.name)
  accept(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, acceptMembership);
  }

  @MessagePattern(TOPICS.declineMembership.name)
  decline(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, declineMembership);
  }

  @MessagePattern(TOPICS.deleteMember.name)
  delete(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, deleteMember);
  }
}
