import type { Scope } from '@truetally/contracts/credentials';
import type { Caller } from '../../credentials/caller.js';
import type { KeyDirectory } from '../../credentials/key-directory.js';
import type { MemberDirectory } from '../../credentials/member-directory.js';
import type { SiteDirectory } from '../../credentials/site-directory.js';
import type { CloseReason } from './event-stream.js';

/** Of a key that opens a stream. */
const SCOPE: Scope = 'analytics:read';

/** Whether a reader that was admitted may still read: credentials end while streams are open. */
export class ReaderStanding {
  constructor(
    private readonly sites: SiteDirectory,
    private readonly keys: KeyDirectory,
    private readonly members: MemberDirectory,
  ) {}

  holdersOf(caller: Caller): readonly string[] {
    return this.members.holdersOf(caller);
  }

  /** Why the stream has to end; undefined while it may go on. */
  endOf(caller: Caller, siteId: string, nowMs: number): CloseReason | undefined {
    if (this.sites.active(siteId)?.workspaceId !== caller.workspaceId) return 'forbidden';
    if (caller.kind === 'site') {
      const standing = caller.keyId === null ? 'gone' : this.keys.standing(caller.keyId, SCOPE, nowMs);
      if (standing === 'valid') return undefined;
      return standing === 'expired' ? 'expired' : 'forbidden';
    }
    if (caller.kind !== 'member' || !this.members.admits(caller)) return 'forbidden';
    return nowMs >= caller.tokenExpiresAtMs ? 'expired' : undefined;
  }
}
