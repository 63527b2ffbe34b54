import {
  highestRole,
  memberKey,
  type MemberName,
  type MemberRole,
  parseMemberKey,
} from '@truetally/contracts/facts';
import type { HourlyLimit } from '../limits/hourly-limit.js';
import type { User } from './caller.js';
import { GoneIds } from './gone-ids.js';

/** What the gateway keeps of a `members.v1` fact. */
export interface Membership {
  readonly workspaceId: string;
  /** Null in facts of before members had routes. */
  readonly memberId: string | null;
  readonly version: number;
  readonly role: MemberRole;
  /** Who is only invited is no member: nothing but waiting for changes asks for such a one. */
  readonly isAccepted: boolean;
  /** The workspace is suspended: its members' tokens are refused. */
  readonly isSuspended: boolean;
  /** What the ID tokens of the workspace's members are counted against, all together. */
  readonly limit: HourlyLimit;
}

type Memberships = ReadonlyMap<string, Membership>;

const NONE: Memberships = new Map();

/**
 * Who belongs to which workspace, in memory, fed from the compacted topic `members.v1`. What is older than what it knows
 * is passed over. Somebody who comes back is a new member, whose versions begin anew.
 */
export class MemberDirectory {
  private readonly bySubject = new Map<string, Map<string, Membership>>();
  private readonly byEmail = new Map<string, Map<string, Membership>>();
  /** Of each member that is known: changes are waited for by id. */
  private readonly versions = new Map<string, number>();
  private readonly gone = new GoneIds();

  put(name: MemberName, membership: Membership): void {
    const [users, user] = this.placeOf(name);
    const known = users.get(user) ?? new Map<string, Membership>();
    if (this.isOld(membership)) return;
    this.forgetVersion(known.get(membership.workspaceId));
    known.set(membership.workspaceId, membership);
    users.set(user, known);
    if (membership.memberId !== null) this.versions.set(membership.memberId, membership.version);
  }

  /** The topic says that this member is none any more. */
  remove(name: MemberName): void {
    const [users, user] = this.placeOf(name);
    const known = users.get(user)?.get(name.workspace_id);
    // One that is known by another name since is not gone: only this name of it is.
    if (known?.memberId != null && this.isLatest(known)) this.gone.add(known.memberId);
    this.forget(name);
  }

  /** Until the topic speaks of it again. */
  forget(name: MemberName): void {
    const [users, user] = this.placeOf(name);
    const known = users.get(user);
    this.forgetVersion(known?.get(name.workspace_id));
    known?.delete(name.workspace_id);
    if (known?.size === 0) users.delete(user);
  }

  /** The same by the key in the topic. */
  forgetKey(key: string): void {
    const name = parseMemberKey(key);
    if (name !== undefined) this.forget(name);
  }

  /** The keys in the topic of all that it knows. */
  *keys(): Iterable<string> {
    for (const [sub, known] of this.bySubject)
      for (const workspace_id of known.keys()) yield memberKey({ workspace_id, sub, email: null });
    for (const [email, known] of this.byEmail)
      for (const workspace_id of known.keys()) yield memberKey({ workspace_id, sub: null, email });
  }

  /** The memberships that a user has accepted, by the workspace's id. Of two in one workspace the higher role counts. */
  of({ subject, email }: User): Memberships {
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

  /** Whether it has heard of this version of a member, or of a later one. */
  isKnown(memberId: string, version: number): boolean {
    return (this.versions.get(memberId) ?? 0) >= version;
  }

  /** Whether it has heard that a member is none any more. */
  isGone(memberId: string): boolean {
    return !this.versions.has(memberId);
  }

  private placeOf({ sub, email }: MemberName): readonly [Map<string, Map<string, Membership>>, string] {
    return sub === null ? [this.byEmail, email ?? ''] : [this.bySubject, sub];
  }

  private isOld({ memberId, version }: Membership): boolean {
    if (memberId === null) return false;
    return this.gone.has(memberId) || (this.versions.get(memberId) ?? 0) > version;
  }

  private forgetVersion(membership: Membership | undefined): void {
    if (membership?.memberId != null && this.isLatest(membership)) this.versions.delete(membership.memberId);
  }

  private isLatest({ memberId, version }: Membership): boolean {
    return memberId !== null && this.versions.get(memberId) === version;
  }
}

function higherOf(left: Membership, right: Membership): Membership {
  return highestRole([left.role, right.role]) === left.role ? left : right;
}
