import type { MemberResource, OwnWorkspace } from '@truetally/node';

export const ROLES = ['owner', 'admin', 'analyst'] as const;
export type Role = OwnWorkspace['role'];

/** What the reader may do with a member, before the click; a reason where it is refused by the last owner's rule. */
export interface MemberRights {
  readonly isOwn: boolean;
  /** Roles that the reader may give; the present one alone: it cannot be changed. */
  readonly roles: readonly Role[];
  readonly mayRemove: boolean;
  /** The reader's own membership: nobody else could make another owner. */
  readonly isLastOwner: boolean;
}

/** Only owners change owners, everybody may leave, and a workspace keeps an accepted owner. */
export function rightsOver(
  member: MemberResource,
  reader: { readonly sub: string; readonly role: Role },
  members: readonly MemberResource[],
): MemberRights {
  const isOwn = member.sub === reader.sub;
  const owners = members.filter(({ role, membership }) => role === 'owner' && membership === 'accepted');
  const isLastOwner = owners.length === 1 && owners[0]?.id === member.id;
  const given = rolesGivenBy(reader.role);
  const mayWrite = given.includes(member.role) && !isLastOwner;
  return {
    isOwn,
    isLastOwner: isLastOwner && isOwn,
    roles: mayWrite ? given : [member.role],
    mayRemove: (mayWrite || isOwn) && !isLastOwner,
  };
}

/** Those that this role may give and take away. */
export function rolesGivenBy(role: Role): readonly Role[] {
  if (role === 'analyst') return [];
  return role === 'owner' ? ROLES : ROLES.filter((one) => one !== 'owner');
}
