import type { ExperimentDirectory } from '../campaigns/experiment-directory.js';
import type { SiteDirectory } from '../credentials/site-directory.js';
import type { JsonObject } from '../http/resource-asker.js';

/** An invalid id, so that the resource is not found. */
const NOTHING = 'none';

/** This gateway's knowledge of experiments, including its own changes. */
export class LivingExperiments {
  constructor(
    private readonly experiments: ExperimentDirectory,
    private readonly sites: SiteDirectory,
  ) {}

  readonly isKnown = ({ id, version }: JsonObject): boolean =>
    this.experiments.isKnown(String(id), Number(version));

  readonly isGone = ({ id }: JsonObject): boolean => !this.experiments.isKnown(String(id), 1);

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
