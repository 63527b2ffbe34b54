import type { MemberName, MemberRole } from '@truetally/contracts/facts';
import type { HourlyLimit, User } from './caller.js';

/** What the gateway keeps of a `members.v1` fact. */
export interface Membership {
  readonly workspaceId: string;
  /** Null in facts of before members had routes. */
  readonly memberId: string | null;
  readonly version: number;
  readonly role: MemberRole;
  /** The workspace is suspended: its members' tokens are refused. */
  readonly isSuspended: boolean;
  /** What the ID tokens of the workspace's members are counted against, all together. */
  readonly limit: HourlyLimit;
}

type Memberships = ReadonlyMap<string, Membership>;

const NONE: Memberships = new Map();

/** Who belongs to which workspace, in memory, fed from the compacted topic `members.v1`. */
export class MemberDirectory {
  private readonly bySubject = new Map<string, Map<string, Membership>>();
  private readonly byEmail = new Map<string, Map<string, Membership>>();
  /** Of each member that is known: changes are waited for by id. */
  private readonly versions = new Map<string, number>();

  put(name: MemberName, membership: Membership): void {
    const [users, user] = this.placeOf(name);
    const known = users.get(user) ?? new Map<string, Membership>();
    this.forget(known.get(membership.workspaceId));
    known.set(membership.workspaceId, membership);
    users.set(user, known);
    if (membership.memberId !== null) this.versions.set(membership.memberId, membership.version);
  }

  remove(name: MemberName): void {
    const [users, user] = this.placeOf(name);
    const known = users.get(user);
    this.forget(known?.get(name.workspace_id));
    known?.delete(name.workspace_id);
    if (known?.size === 0) users.delete(user);
  }

  /** The user's memberships by the workspace's id. Of two in one workspace, the one by subject counts. */
  of({ subject, email }: User): Memberships {
    const bySubject = this.bySubject.get(subject);
    const byEmail = email === null ? undefined : this.byEmail.get(email);
    if (byEmail === undefined) return bySubject ?? NONE;
    return bySubject === undefined ? byEmail : new Map([...byEmail, ...bySubject]);
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

  private forget(membership: Membership | undefined): void {
    const memberId = membership?.memberId ?? null;
    if (memberId !== null) this.versions.delete(memberId);
  }
}
