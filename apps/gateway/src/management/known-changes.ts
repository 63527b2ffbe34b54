import { Injectable } from '@nestjs/common';
import type { Resource } from '@truetally/contracts/resource';
import type { Caller } from '../credentials/caller.js';
import { KeyDirectory } from '../credentials/key-directory.js';
import { MemberDirectory } from '../credentials/member-directory.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import { CampaignDirectory } from '../campaigns/campaign-directory.js';

/**
 * Whether this gateway has received a change that it requested itself. The facts arrive some milliseconds
 * after the answer; without waiting for them, a client that creates a site could get 404 for it.
 */
@Injectable()
export class KnownChanges {
  constructor(
    private readonly sites: SiteDirectory,
    private readonly keys: KeyDirectory,
    private readonly members: MemberDirectory,
    private readonly campaigns: CampaignDirectory,
  ) {}

  readonly siteGone = ({ id }: Pick<Resource, 'id'>): boolean => !this.sites.isKnown(id, 1);

  readonly site = ({ id, version }: Resource): boolean => this.sites.isKnown(id, version);

  readonly campaign = ({ id, version }: Resource): boolean => this.campaigns.isKnown(id, version);

  readonly campaignGone = ({ id }: Pick<Resource, 'id'>): boolean => !this.campaigns.isKnown(id, 1);

  readonly apiKey = ({ id, version }: Resource): boolean => this.keys.isKnown(id, version);

  readonly revocation = ({ id }: Pick<Resource, 'id'>): boolean => !this.keys.isLive(id);

  readonly member = ({ id, version }: Resource): boolean => this.members.isKnown(id, version);

  readonly departure = ({ id }: Pick<Resource, 'id'>): boolean => this.members.isGone(id);

  /** Waits until the workspace's deleter is no longer its member. */
  readonly workspaceGoneFor =
    (caller: Caller) =>
    ({ id }: Pick<Resource, 'id'>): boolean =>
      caller.kind === 'member' && !this.members.of(caller).has(String(id));

  /** Waits until the workspace's creator is its member. */
  readonly workspaceMadeBy =
    (caller: Caller) =>
    ({ id }: Pick<Resource, 'id'>): boolean =>
      caller.kind === 'user' && this.members.of(caller).has(String(id));
}
