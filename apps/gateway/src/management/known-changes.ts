import type { Caller } from '../credentials/caller.js';
import type { KeyDirectory } from '../credentials/key-directory.js';
import type { MemberDirectory } from '../credentials/member-directory.js';
import type { SiteDirectory } from '../credentials/site-directory.js';
import type { CampaignDirectory } from '../campaigns/campaign-directory.js';
import type { JsonObject } from '../http/resource-asker.js';

/**
 * Whether this gateway has received a change that it requested itself. The facts arrive some milliseconds
 * after the answer; without waiting for them, a client that creates a site could get 404 for it.
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

  /** Waits until the workspace's deleter is no longer its member. */
  readonly workspaceGoneFor =
    (caller: Caller) =>
    ({ id }: JsonObject): boolean =>
      caller.kind === 'member' && !this.members.of(caller).has(String(id));

  /** Waits until the workspace's creator is its member. */
  readonly workspaceMadeBy =
    (caller: Caller) =>
    ({ id }: JsonObject): boolean =>
      caller.kind === 'user' && this.members.of(caller).has(String(id));
}
