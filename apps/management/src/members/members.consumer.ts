import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { logged } from '../audit-log/logged.js';
import { acceptMembership } from './accept-membership.js';
import { createMember } from './create-member.js';
import { declineMembership } from './decline-membership.js';
import { deleteMember } from './delete-member.js';
import { listMembers } from './list-members.js';
import { readMember } from './read-member.js';
import { updateMember } from './update-member.js';

export const membersAnswers = ({ command, query }: ResourceAnswers): Answers => ({
  createMember: command(logged(createMember)),
  listMembers: query(listMembers),
  readMember: query(readMember),
  updateMember: command(logged(updateMember)),
  acceptMembership: command(acceptMembership),
  declineMembership: command(declineMembership),
  deleteMember: command(deleteMember),
});
