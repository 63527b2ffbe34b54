import type { MemberRole } from '@truetally/contracts';
import type { HourlyLimit } from './caller.js';

/** What the gateway keeps of a `members.v1` fact. */
export interface Membership {
  readonly workspaceId: string;
  readonly role: MemberRole;
  /** The workspace is suspended: its members' tokens are refused. */
  readonly isSuspended: boolean;
  /** What the ID tokens of the workspace's members are counted against, all together. */
  readonly limit: HourlyLimit;
}

const NONE: ReadonlyMap<string, Membership> = new Map();

/** Who belongs to which workspace, in memory, fed from the compacted topic `members.v1`. */
export class MemberDirectory {
  private readonly bySubject = new Map<string, Map<string, Membership>>();

  put(subject: string, membership: Membership): void {
    const known = this.bySubject.get(subject) ?? new Map<string, Membership>();
    known.set(membership.workspaceId, membership);
    this.bySubject.set(subject, known);
  }

  remove(subject: string, workspaceId: string): void {
    const known = this.bySubject.get(subject);
    known?.delete(workspaceId);
    if (known?.size === 0) this.bySubject.delete(subject);
  }

  /** The user's memberships by the workspace's id. */
  of(subject: string): ReadonlyMap<string, Membership> {
    return this.bySubject.get(subject) ?? NONE;
  }
}
