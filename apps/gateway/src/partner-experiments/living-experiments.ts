import type { Resource } from '@truetally/contracts/resource';
import type { AwaitedVersions } from '@truetally/contracts/resource';
import { isJsonObject } from '@truetally/contracts/validation';
import type { CampaignDirectory } from '../campaigns/campaign-directory.js';
import type { ExperimentDirectory } from '../campaigns/experiment-directory.js';
import type { SiteDirectory } from '../credentials/site-directory.js';

/** An invalid id, so that the resource is not found. */
const NOTHING = 'none';
/** Above the limit of an experiment, which is refused anyway. */
const MAX_AWAITED = 50;

/** This gateway's knowledge of experiments, including its own changes. */
export class LivingExperiments {
  constructor(
    private readonly experiments: ExperimentDirectory,
    private readonly sites: SiteDirectory,
    private readonly campaigns: Pick<CampaignDirectory, 'versionOf'>,
  ) {}

  readonly isKnown = ({ id, version }: Resource): boolean => this.experiments.isKnown(id, version);

  readonly isGone = ({ id }: Pick<Resource, 'id'>): boolean => !this.experiments.isKnown(id, 1);

  /**
   * What a change of an experiment depends on, as this gateway has answered it: the site, whose currency it
   * starts with, and its campaigns.
   * @param experimentId undefined for a new one
   */
  awaited(experimentId: string | undefined, body: unknown): AwaitedVersions {
    const given = isJsonObject(body) ? body : {};
    const id = experimentId?.toLowerCase() ?? '';
    const named: unknown = given['campaign_ids'] ?? this.experiments.campaignsOfDraft(id);
    const siteId = this.experiments.siteOf(id) ?? given['site_id'];
    const sites =
      typeof siteId === 'string' ? versions([siteId], (one) => this.sites.find(one)?.version) : {};
    const ids = Array.isArray(named)
      ? named.slice(0, MAX_AWAITED).filter((one) => typeof one === 'string')
      : [];
    return { sites, campaigns: versions(ids, (one) => this.campaigns.versionOf(one)) };
  }

  /**
   * The path's ids, without that of an experiment on a deleted site: the service receives the deletion a
   * moment later, and until then would answer as if the site existed (interface page, section 1: reads of a
   * deleted site are 404 at once).
   */
  only({ experiment_id = '' }: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const siteId = this.experiments.siteOf(experiment_id.toLowerCase());
    const isGone = siteId !== undefined && !this.sites.isKnown(siteId, 1);
    return { experiment_id: isGone ? NOTHING : experiment_id };
  }
}

/** Unknown ids are left out: there is nothing to wait for. */
function versions(
  ids: readonly string[],
  versionOf: (id: string) => number | null | undefined,
): Readonly<Record<string, number | null>> {
  const known = ids.map((id) => [id.toLowerCase(), versionOf(id.toLowerCase())] as const);
  return Object.fromEntries(known.flatMap(([id, version]) => (version === undefined ? [] : [[id, version]])));
}
