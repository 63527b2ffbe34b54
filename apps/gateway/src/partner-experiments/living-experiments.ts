import type { ExperimentDirectory } from '../campaigns/experiment-directory.js';
import type { SiteDirectory } from '../credentials/site-directory.js';
import type { JsonObject } from '../http/resource-asker.js';

/** No id of anything, so that what it names is not found. */
const NOTHING = 'none';

/** What this gateway has heard of experiments, its own changes among them. */
export class LivingExperiments {
  constructor(
    private readonly experiments: ExperimentDirectory,
    private readonly sites: SiteDirectory,
  ) {}

  readonly isKnown = ({ id, version }: JsonObject): boolean =>
    this.experiments.isKnown(String(id), Number(version));

  readonly isGone = ({ id }: JsonObject): boolean => !this.experiments.isKnown(String(id), 1);

  /**
   * The path's ids, without one of a site that this gateway knows to be deleted: the service hears of it a moment later,
   * and until then would answer as if the site were there (interface page, section 1: a deleted site's reads are 404 at once).
   */
  only({ experiment_id = '' }: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const siteId = this.experiments.siteOf(experiment_id.toLowerCase());
    const isGone = siteId !== undefined && !this.sites.isKnown(siteId, 1);
    return { experiment_id: isGone ? NOTHING : experiment_id };
  }
}
