import type { ExperimentResource } from '@truetally/contracts/experiments';
import { changedResource, type ResourceCommand } from '@truetally/contracts/resource';
import { type Failure, formatInstant } from '@truetally/kernel';
import { type CommandContext, type CommandWork, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { campaignsTaken, MAX_LIVE_EXPERIMENTS } from '../domain/experiment.js';
import { refusals } from '../domain/refusals.js';
import { type ExperimentAction, nextState } from '../domain/transitions.js';
import { holdLiveExperiments, storeExperiment, type StoredExperiment } from '../storage/experiment.store.js';
import { findSite, strangersAmong } from '../storage/surroundings.store.js';
import { experimentFact } from './experiment-fact.js';
import { lockForChange } from './lock-for-change.js';

/** `POST /partner-experiments/{id}/start|pause|resume|stop` (interface page, section 7). */
export function changeState(action: ExperimentAction): CommandWork {
  return async (client, command, context): Promise<Outcome> => {
    const known = await lockForChange(client, command);
    if ('error' in known) return known;
    const { resource: experiment } = known;
    const state = nextState(action, experiment.state);
    if (state === undefined) return refusals.notInState(action, experiment.state);
    const refused = action === 'start' ? await startRefused(client, experiment) : undefined;
    if (refused !== undefined) return refused;
    const changed = changedResource(experiment, { state, ...momentOf(action, context) }, context.nowMs);
    await storeExperiment(client, { resource: changed, currency: await currencyOf(client, known, command) });
    return {
      ok: changed,
      facts: [experimentFact(changed)],
      audit: { action, resource: 'partner_experiment', resourceId: experiment.id },
    };
  };
}

/** Checked under a lock that keeps others from starting one on the site. */
async function startRefused(
  client: ClientBase,
  experiment: ExperimentResource,
): Promise<{ readonly error: Failure } | undefined> {
  const live = await holdLiveExperiments(client, experiment.site_id);
  if (live.length >= MAX_LIVE_EXPERIMENTS) return refusals.tooManyLive(MAX_LIVE_EXPERIMENTS);
  const taken = campaignsTaken(experiment, live);
  if (taken.length > 0)
    return refusals.campaignsTaken(
      taken.map(({ place }) => place),
      taken.map(({ by }) => by),
    );
  const { site_id, surface, campaign_ids } = experiment;
  const gone = await strangersAmong(client, site_id, surface, campaign_ids);
  return gone.length > 0 ? refusals.campaignsGone(gone) : undefined;
}

function momentOf(
  action: ExperimentAction,
  { nowMs }: CommandContext,
): Partial<Pick<ExperimentResource, 'started_at' | 'stopped_at'>> {
  if (action === 'start') return { started_at: formatInstant(nowMs) };
  return action === 'stop' ? { stopped_at: formatInstant(nowMs) } : {};
}

/**
 * An experiment's currency is fixed at its start: a later change of the site's does not affect what was
 * counted.
 */
async function currencyOf(
  client: ClientBase,
  { resource, currency }: StoredExperiment,
  { workspace_id: workspaceId }: ResourceCommand,
): Promise<string> {
  if (resource.state !== 'draft') return currency;
  return (await findSite(client, workspaceId, resource.site_id))?.currency ?? currency;
}
