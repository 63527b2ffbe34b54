import {
  type ExperimentFields,
  type ExperimentResource,
  readExperiment,
} from '@truetally/contracts/experiments';
import type { ExperimentRecord } from '@truetally/contracts/facts';
import type { BodyReading } from '@truetally/contracts/resource';
import { isJsonObject } from '@truetally/contracts/validation';
import { fail, patchFields } from '@truetally/kernel';

/**
 * Of a site, in any state. One that has started is kept, and every gateway reads the record of each at its start:
 * without a bound a tenant could fill the topic and the gateways' memory.
 */
export const MAX_EXPERIMENTS = 1_000;
/** The same of all sites of a workspace: bounds per site alone multiply to more than a gateway's memory. */
export const MAX_EXPERIMENTS_OF_WORKSPACE = 5_000;

/** Memory that every gateway gives to experiments, in bytes. A person's twenty workspaces never fill it alone. */
export const HELD_EXPERIMENTS_BYTES = { workspace: 2 * 1024 * 1024, installation: 64 * 1024 * 1024 } as const;

/** Maximum number of running and paused experiments per site (interface page, section 7). */
export const MAX_LIVE_EXPERIMENTS = 50;

/** Of an experiment, ever: its results list each, and each costs a look at all of its sessions. */
export const MAX_EXCLUSION_CHANGES = 100;

/** A draft after a patch, validated like a new one. Its site does not change. */
export function patchExperiment(
  experiment: ExperimentResource,
  patch: unknown,
): BodyReading<ExperimentFields> {
  const patched = patchFields(fieldsOf(experiment), patch);
  if (!isJsonObject(patched)) return readExperiment(patched);
  const { site_id } = experiment;
  const given = patched['site_id'];
  const isOfSite = typeof given === 'string' && given.toLowerCase() === site_id;
  const fields = readExperiment({ ...patched, site_id });
  if (isOfSite) return fields;
  return fail({ site_id: ['cannot be changed'], ...(fields.ok ? {} : fields.error) });
}

function fieldsOf(experiment: ExperimentResource): ExperimentFields {
  return {
    site_id: experiment.site_id,
    name: experiment.name,
    hypothesis: experiment.hypothesis,
    surface: experiment.surface,
    campaign_ids: experiment.campaign_ids,
    eligibility: experiment.eligibility,
    traffic: experiment.traffic,
    allocation: experiment.allocation,
    primary_metric: experiment.primary_metric,
    alpha: experiment.alpha,
    power: experiment.power,
    minimum_detectable_effect: experiment.minimum_detectable_effect,
    baseline_rate: experiment.baseline_rate,
    attribution_window_days: experiment.attribution_window_days,
  };
}

/** Campaigns that other experiments already use: their positions, and the experiment of each. */
export function campaignsTaken(
  experiment: ExperimentResource,
  live: readonly ExperimentResource[],
): readonly { readonly place: number; readonly by: string }[] {
  return experiment.campaign_ids.flatMap((campaignId, place) => {
    const holder = live.find(
      ({ id, campaign_ids }) => id !== experiment.id && campaign_ids.includes(campaignId),
    );
    return holder === undefined ? [] : [{ place, by: holder.id }];
  });
}

/** The record that publishes a changed experiment. */
export function experimentRecord(experiment: ExperimentResource): ExperimentRecord {
  return {
    experiment_id: experiment.id,
    site_id: experiment.site_id,
    workspace_id: experiment.workspace_id,
    state: experiment.state,
    surface: experiment.surface,
    campaign_ids: experiment.campaign_ids,
    version: experiment.version,
  };
}
