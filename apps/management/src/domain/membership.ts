import { highestRole, type MemberRole, type Membership } from '@truetally/contracts/facts';
import type { MemberFields } from '@truetally/contracts/management';
import type { refusals } from './refusals.js';

/**
 * The actor of a membership change: a member with its current role, or the platform, which may do everything.
 */
export type ActingRole = MemberRole | 'platform';

export interface MembershipChange {
  readonly by: ActingRole;
  /** Whether it is the actor's own membership. */
  readonly isOwn: boolean;
  /** Null for a person without membership or invitation. */
  readonly from: MemberRole | null;
  /** The state before the change. */
  readonly membership: Membership;
  /** Null for a removal. */
  readonly to: MemberRole | null;
  /** Number of accepted owners before the change. */
  readonly owners: number;
}

type MembershipFault = keyof Pick<typeof refusals, 'roleForbidden' | 'ownersOnly' | 'lastOwner'>;

/**
 * Why a change is not allowed, or undefined (interface page, section 9): owners and admins change members,
 * only owners change owners, everyone may leave, and a workspace keeps an owner.
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
 * Merges a person's memberships and invitations in one workspace at acceptance: one member, from now on
 * identified by subject, with the highest role (interface page, section 9).
 * @param own not empty; the first is kept
 */
export function acceptedMember(sub: string, own: readonly Own[]): Own {
  const email = own.find((one) => one.email !== null)?.email ?? null;
  const role = highestRole(own.map((one) => one.role)) ?? 'analyst';
  return { sub, email, role, membership: 'accepted' };
}
