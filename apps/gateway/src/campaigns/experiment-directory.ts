import { type ExperimentRecord, EXPERIMENT_RECORD } from '@truetally/contracts/facts';
import { compareRevisions, NO_REVISION, type Revision } from '@truetally/kernel';
import type { OnUnreadable } from '../credentials/directory-feed.js';
import { GoneIds } from '../credentials/gone-ids.js';

const NO_CAMPAIGNS: ReadonlySet<string> = new Set();
const NONE: readonly string[] = [];

interface Known extends Revision {
  readonly siteId: string;
  /** Only a draft can start: of others they do not matter. */
  readonly campaignsOfDraft: readonly string[];
}

/**
 * All partner experiments in memory, from the compacted topic `experiments.v1`: without a running one, a
 * storefront is answered without a query. Older revisions than the known one are ignored.
 */
export class ExperimentDirectory {
  private readonly known = new Map<string, Known>();
  /** By site and experiment: the campaigns of running experiments. */
  private readonly running = new Map<string, Map<string, readonly string[]>>();
  /** The same by site, merged. */
  private readonly campaigns = new Map<string, ReadonlySet<string>>();
  private readonly gone = new GoneIds();

  put(record: ExperimentRecord, incarnation: number): void {
    const { experiment_id: id, site_id: siteId, version, state, campaign_ids } = record;
    const revision = { incarnation, version };
    if (this.gone.has(id, incarnation)) return;
    if (compareRevisions(this.known.get(id) ?? NO_REVISION, revision) > 0) return;
    this.forget(id);
    const isDraft = state === 'draft';
    this.known.set(id, { siteId, ...revision, campaignsOfDraft: isDraft ? campaign_ids : NONE });
    if (state !== 'running') return;
    const ofSite = this.running.get(siteId) ?? new Map<string, readonly string[]>();
    this.running.set(siteId, ofSite.set(id, campaign_ids));
    this.putTogether(siteId);
  }

  /** The topic has deleted it. */
  remove(experimentId: string, incarnation: number): void {
    if ((this.known.get(experimentId)?.incarnation ?? 0) > incarnation) return;
    this.gone.add(experimentId, incarnation);
    this.forget(experimentId);
  }

  /** Forgets it until the topic contains it again. */
  forget(experimentId: string): void {
    const siteId = this.known.get(experimentId)?.siteId;
    this.known.delete(experimentId);
    if (siteId === undefined || this.running.get(siteId)?.delete(experimentId) !== true) return;
    this.putTogether(siteId);
  }

  /** Keys of all known experiments. */
  keys(): Iterable<string> {
    return this.known.keys();
  }

  /** Whether this version of the experiment, or a later one, is known. */
  isKnown(experimentId: string, version: number): boolean {
    return (this.known.get(experimentId)?.version ?? 0) >= version;
  }

  /** Undefined for an unknown one. */
  siteOf(experimentId: string): string | undefined {
    return this.known.get(experimentId)?.siteId;
  }

  /** The campaigns with which a draft would start; of other experiments none. */
  campaignsOfDraft(experimentId: string): readonly string[] {
    return this.known.get(experimentId)?.campaignsOfDraft ?? NONE;
  }

  /** The campaigns of a site that belong to a running experiment. */
  campaignsInExperiment(siteId: string): ReadonlySet<string> {
    return this.campaigns.get(siteId) ?? NO_CAMPAIGNS;
  }

  private putTogether(siteId: string): void {
    const ofSite = this.running.get(siteId);
    if (ofSite === undefined || ofSite.size === 0) {
      this.running.delete(siteId);
      this.campaigns.delete(siteId);
    } else this.campaigns.set(siteId, new Set([...ofSite.values()].flat()));
  }
}

/** Applies an `experiments.v1` fact. An unreadable experiment withholds nothing. */
export function applyExperiment(
  experiments: ExperimentDirectory,
  experimentId: string,
  value: string | null,
  onUnreadable: OnUnreadable,
  incarnation = 0,
): void {
  if (value === null) return experiments.remove(experimentId, incarnation);
  const record = EXPERIMENT_RECORD.parse(value);
  if (!record.ok) {
    onUnreadable('experiments.v1', experimentId, record.error);
    return experiments.forget(experimentId);
  }
  experiments.put(record.value, incarnation);
}
