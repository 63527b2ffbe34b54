import { Controller } from '@nestjs/common';
import type { ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { logged } from '../audit-log/logged.js';
import { acceptMembership } from './accept-membership.js';
import { createMember } from './create-member.js';
import { declineMembership } from './decline-membership.js';
import { deleteMember } from './delete-member.js';
import { listMembers } from './list-members.js';
import { readMember } from './read-member.js';
import { updateMember } from './update-member.js';

@Controller()
export class MembersConsumer {
  constructor(private readonly database: ResourceDatabase) {}

  @Handles(OPERATIONS.createMember)
  create(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, logged(createMember));
  }

  @Handles(OPERATIONS.listMembers)
  list(query: ResourceQuery) {
    return this.database.query(query, listMembers);
  }

  @Handles(OPERATIONS.readMember)
  read(query: ResourceQuery) {
    return this.database.query(query, readMember);
  }

  @Handles(OPERATIONS.updateMember)
  update(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, logged(updateMember));
  }

  @Handles(OPERATIONS.acceptMembership)
  accept(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, acceptMembership);
  }

  @Handles(OPERATIONS.declineMembership)
  decline(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, declineMembership);
  }

  @Handles(OPERATIONS.deleteMember)
  delete(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, deleteMember);
  }
}
