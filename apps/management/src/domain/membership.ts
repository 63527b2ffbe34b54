import type { MemberRole } from '@truetally/contracts/facts';
import type { refusals } from './refusals.js';

/** Who changes a membership: a member by its role at that moment, or the platform, which may do all. */
export type ActingRole = MemberRole | 'platform';

export interface MembershipChange {
  readonly by: ActingRole;
  /** It is the actor's own membership. */
  readonly isOwn: boolean;
  /** Null for somebody who is no member yet. */
  readonly from: MemberRole | null;
  /** Null for somebody who is to be a member no more. */
  readonly to: MemberRole | null;
  /** How many owners the workspace has before the change. */
  readonly owners: number;
}

type MembershipFault = keyof Pick<typeof refusals, 'roleForbidden' | 'ownersOnly' | 'lastOwner'>;

/**
 * Why a change may not be made, or undefined (interface page, section 9): owners and admins change members, only
 * owners change owners, anybody may leave, and a workspace keeps an owner.
 */
export function faultOf({ by, isOwn, from, to, owners }: MembershipChange): MembershipFault | undefined {
  const isLeaving = isOwn && to === null;
  if (!isLeaving && by === 'analyst') return 'roleForbidden';
  const concernsOwners = from === 'owner' || to === 'owner';
  if (!isLeaving && concernsOwners && by === 'admin') return 'ownersOnly';
  if (from === 'owner' && to !== 'owner' && owners <= 1) return 'lastOwner';
  return undefined;
}
