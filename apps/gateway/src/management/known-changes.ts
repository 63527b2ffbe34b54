import type { Caller } from '../credentials/caller.js';
import type { KeyDirectory } from '../credentials/key-directory.js';
import type { MemberDirectory } from '../credentials/member-directory.js';
import type { SiteDirectory } from '../credentials/site-directory.js';
import type { CampaignDirectory } from '../campaigns/campaign-directory.js';
import type { JsonObject } from '../http/resource-asker.js';

/**
 * Whether this gateway has heard of a change that it asked for itself. The facts arrive some milliseconds after the
 * answer; without waiting for them, who creates a site could be told at once that there is no such site.
 */
export class KnownChanges {
  constructor(
    private readonly sites: SiteDirectory,
    private readonly keys: KeyDirectory,
    private readonly members: MemberDirectory,
    private readonly campaigns: CampaignDirectory,
  ) {}

  readonly siteGone = ({ id }: JsonObject): boolean => !this.sites.isKnown(String(id), 1);

  readonly site = ({ id, version }: JsonObject): boolean => this.sites.isKnown(String(id), Number(version));

  readonly campaign = ({ id, version }: JsonObject): boolean =>
    this.campaigns.isKnown(String(id), Number(version));

  readonly campaignGone = ({ id }: JsonObject): boolean => !this.campaigns.isKnown(String(id), 1);

  readonly apiKey = ({ id, version }: JsonObject): boolean => this.keys.isKnown(String(id), Number(version));

  readonly revocation = ({ id }: JsonObject): boolean => !this.keys.isLive(String(id));

  readonly member = ({ id, version }: JsonObject): boolean =>
    this.members.isKnown(String(id), Number(version));

  readonly departure = ({ id }: JsonObject): boolean => this.members.isGone(String(id));

  /** That whoever deletes a workspace is a member of it no more. */
  readonly workspaceGoneFor =
    (caller: Caller) =>
    ({ id }: JsonObject): boolean =>
      caller.kind === 'member' && !this.members.of(caller).has(String(id));

  /** That whoever makes a workspace is a member of it. */
  readonly workspaceMadeBy =
    (caller: Caller) =>
    ({ id }: JsonObject): boolean =>
      caller.kind === 'user' && this.members.of(caller).has(String(id));
}
