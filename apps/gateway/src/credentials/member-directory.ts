import {
  highestRole,
  memberKey,
  type MemberName,
  type MemberRole,
  memberNameOf,
} from '@truetally/contracts/facts';
import { compareRevisions, NO_REVISION, type Revision } from '@truetally/kernel';
import type { HourlyLimit } from '../limits/hourly-limit.js';
import type { Caller, User } from './caller.js';
import { GoneIds } from './gone-ids.js';

/** The stored part of a `members.v1` fact. */
export interface Membership extends Revision {
  readonly workspaceId: string;
  readonly memberId: string;
  readonly role: MemberRole;
  /** Invited people are not members; only a wait for a change asks for them. */
  readonly isAccepted: boolean;
  /** The workspace is suspended: its members' tokens are refused. */
  readonly isSuspended: boolean;
  /** The common limit of all ID tokens of the workspace's members. */
  readonly limit: HourlyLimit;
}

type Memberships = ReadonlyMap<string, Membership>;

const NONE: Memberships = new Map();

/**
 * Members of all workspaces in memory, from the compacted topic `members.v1`. Older revisions than the known
 * one are ignored. A person who returns is a new member, whose versions start over.
 */
export class MemberDirectory {
  private readonly bySubject = new Map<string, Map<string, Membership>>();
  private readonly byEmail = new Map<string, Map<string, Membership>>();
  /** Revisions by member id, also for waits for a change. */
  private readonly revisions = new Map<string, Revision>();
  private readonly gone = new GoneIds();
  /** Who answers for a workspace: itself, and some of its owners. */
  private readonly holders = new Map<string, readonly string[]>();

  put(name: MemberName, membership: Membership): void {
    const [users, user] = this.placeOf(name);
    const known = users.get(user) ?? new Map<string, Membership>();
    if (this.isOld(membership)) return;
    this.forgetVersion(known.get(membership.workspaceId));
    known.set(membership.workspaceId, membership);
    users.set(user, known);
    const { memberId, incarnation, version } = membership;
    this.revisions.set(memberId, { incarnation, version });
    this.noteOwner(name, membership.isAccepted && membership.role === 'owner');
  }

  /** The topic says that this person is no longer a member. */
  remove(name: MemberName, incarnation: number): void {
    const [users, user] = this.placeOf(name);
    const known = users.get(user)?.get(name.workspace_id);
    if (known !== undefined && known.incarnation > incarnation) return;
    // If the member is known by another name by now, only this name is removed.
    if (known !== undefined && this.isLatest(known)) this.gone.add(known.memberId, incarnation);
    this.forget(name);
  }

  /** Forgets it until the topic contains it again. */
  forget(name: MemberName): void {
    const [users, user] = this.placeOf(name);
    const known = users.get(user);
    this.forgetVersion(known?.get(name.workspace_id));
    known?.delete(name.workspace_id);
    if (known?.size === 0) users.delete(user);
    this.noteOwner(name, false);
  }

  /** The same by the topic's key. */
  forgetKey(key: string): void {
    const name = memberNameOf(key);
    if (name !== undefined) this.forget(name);
  }

  /** The topic's keys of all known members. */
  *keys(): Iterable<string> {
    for (const [sub, known] of this.bySubject)
      for (const workspace_id of known.keys()) yield memberKey({ workspace_id, sub, email: null });
    for (const [email, known] of this.byEmail)
      for (const workspace_id of known.keys()) yield memberKey({ workspace_id, sub: null, email });
  }

  /** A user's accepted memberships, by workspace id. Of two in one workspace the higher role counts. */
  of({ subject, email }: Pick<User, 'email' | 'subject'>): Memberships {
    const bySubject = this.bySubject.get(subject) ?? NONE;
    const byEmail = (email === null ? undefined : this.byEmail.get(email)) ?? NONE;
    const own = new Map<string, Membership>();
    for (const membership of [...byEmail.values(), ...bySubject.values()]) {
      if (!membership.isAccepted) continue;
      const other = own.get(membership.workspaceId);
      own.set(membership.workspaceId, other === undefined ? membership : higherOf(membership, other));
    }
    return own;
  }

  /** Whether a member who was admitted is one still: memberships end while long answers are under way. */
  admits(caller: Caller): boolean {
    if (caller.kind !== 'member') return false;
    const membership = this.of(caller).get(caller.workspaceId);
    return membership !== undefined && !membership.isSuspended;
  }

  /**
   * Who has a share of something scarce for a caller's request. Workspaces are free to make: what their owner has in all of them
   * counts, too.
   */
  holdersOf(caller: Pick<Caller, 'kind' | 'workspaceId'> & { readonly subject?: string }): readonly string[] {
    if (caller.kind === 'user') return [personHolder({ sub: caller.subject ?? '', email: null })];
    return this.holders.get(caller.workspaceId) ?? [caller.workspaceId];
  }

  private noteOwner({ workspace_id: workspaceId, ...person }: MemberName, isOwner: boolean): void {
    const [, ...owners] = this.holders.get(workspaceId) ?? [];
    const holder = personHolder(person);
    const others = owners.filter((one) => one !== holder);
    if (isOwner && others.length < OWNERS_THAT_COUNT) others.push(holder);
    if (others.length > 0) this.holders.set(workspaceId, [workspaceId, ...others]);
    else this.holders.delete(workspaceId);
  }

  /** Whether this version of a member, or a later one, is known. */
  isKnown(memberId: string, version: number): boolean {
    return (this.revisions.get(memberId)?.version ?? 0) >= version;
  }

  /** Whether the member's removal is known. */
  isGone(memberId: string): boolean {
    return !this.revisions.has(memberId);
  }

  private placeOf({ sub, email }: MemberName): readonly [Map<string, Map<string, Membership>>, string] {
    return sub === null ? [this.byEmail, email ?? ''] : [this.bySubject, sub];
  }

  private isOld(membership: Membership): boolean {
    const { memberId, incarnation } = membership;
    if (this.gone.has(memberId, incarnation)) return true;
    return compareRevisions(this.revisions.get(memberId) ?? NO_REVISION, membership) > 0;
  }

  private forgetVersion(membership: Membership | undefined): void {
    if (membership !== undefined && this.isLatest(membership)) this.revisions.delete(membership.memberId);
  }

  private isLatest(membership: Membership): boolean {
    const latest = this.revisions.get(membership.memberId);
    return latest !== undefined && compareRevisions(latest, membership) === 0;
  }
}

/** Each costs every piece of a body a look. */
const OWNERS_THAT_COUNT = 4;

function personHolder({ sub, email }: Pick<MemberName, 'email' | 'sub'>): string {
  return sub === null ? `email:${email ?? ''}` : `sub:${sub}`;
}

function higherOf(left: Membership, right: Membership): Membership {
  return highestRole([left.role, right.role]) === left.role ? left : right;
}
