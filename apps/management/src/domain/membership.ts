import { highestRole, type MemberRole, type Membership } from '@truetally/contracts/facts';
import type { MemberFields } from '@truetally/contracts/management';
import type { refusals } from './refusals.js';

/** Who changes a membership: a member by its role at that moment, or the platform, which may do all. */
export type ActingRole = MemberRole | 'platform';

export interface MembershipChange {
  readonly by: ActingRole;
  /** It is the actor's own membership. */
  readonly isOwn: boolean;
  /** Null for somebody who is neither a member yet nor invited. */
  readonly from: MemberRole | null;
  /** Of whom it is about, before the change. */
  readonly membership: Membership;
  /** Null for somebody who is to be a member no more. */
  readonly to: MemberRole | null;
  /** How many owners have accepted before the change. */
  readonly owners: number;
}

type MembershipFault = keyof Pick<typeof refusals, 'roleForbidden' | 'ownersOnly' | 'lastOwner'>;

/**
 * Why a change may not be made, or undefined (interface page, section 9): owners and admins change members, only
 * owners change owners, anybody may leave, and a workspace keeps an owner.
 */
export function faultOf({
  by,
  isOwn,
  from,
  membership,
  to,
  owners,
}: MembershipChange): MembershipFault | undefined {
  const isLeaving = isOwn && to === null;
  if (!isLeaving && by === 'analyst') return 'roleForbidden';
  const concernsOwners = from === 'owner' || to === 'owner';
  if (!isLeaving && concernsOwners && by === 'admin') return 'ownersOnly';
  const isOwner = from === 'owner' && membership === 'accepted';
  if (isOwner && to !== 'owner' && owners <= 1) return 'lastOwner';
  return undefined;
}

type Own = MemberFields & { readonly membership: Membership };

/**
 * What becomes of all that a person is or is invited to be in one workspace when that person says yes: one member, known
 * by subject from now on, with the highest role (interface page, section 9).
 * @param own not empty; the one that is kept comes first
 */
export function acceptedMember(sub: string, own: readonly Own[]): Own {
  const email = own.find((one) => one.email !== null)?.email ?? null;
  const role = highestRole(own.map((one) => one.role)) ?? 'analyst';
  return { sub, email, role, membership: 'accepted' };
}
