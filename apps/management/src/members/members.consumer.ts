import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { refusals } from '../domain/refusals.js';
import { reading } from '../resource-work.js';
import { findMember, pageOfMembers } from '../storage/member.store.js';
import { logged } from '../audit-log/logged.js';
import { acceptMembership } from './accept-membership.js';
import { createMember } from './create-member.js';
import { declineMembership } from './decline-membership.js';
import { deleteMember } from './delete-member.js';
import { updateMember } from './update-member.js';

export const membersAnswers = ({ command, query }: ResourceAnswers): Answers => ({
  createMember: command(logged(createMember)),
  listMembers: query(pageOfMembers),
  readMember: query(reading('member_id', findMember, refusals.noMember)),
  updateMember: command(logged(updateMember)),
  acceptMembership: command(acceptMembership),
  declineMembership: command(declineMembership),
  deleteMember: command(deleteMember),
});
