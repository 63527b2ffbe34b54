import { campaignErrors, type ExperimentResource, readExperiment } from '@truetally/contracts/experiments';
import { newResource, type ResourceCommand, resourceRefusals } from '@truetally/contracts/resource';
import { fingerprintHex } from '@truetally/kernel';
import type { CommandContext, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { MAX_EXPERIMENTS, MAX_EXPERIMENTS_OF_WORKSPACE } from '../domain/experiment.js';
import { refusals } from '../domain/refusals.js';
import { holdExperimentCounts, insertExperiment } from '../storage/experiment.store.js';
import { findSite, strangersAmong } from '../storage/surroundings.store.js';
import { fillsGateways } from './fills-gateways.js';
import { experimentFact } from './experiment-fact.js';

export async function createExperiment(
  client: ClientBase,
  command: ResourceCommand,
  context: CommandContext,
): Promise<Outcome> {
  const fields = readExperiment(command.body);
  if (!fields.ok) return resourceRefusals.invalid(fields.error);
  const { site_id, surface, campaign_ids } = fields.value;
  const site = await findSite(client, command.workspace_id, site_id);
  if (site === undefined) return refusals.noSite();
  const strangers = await strangersAmong(client, site_id, surface, campaign_ids);
  if (strangers.length > 0) return resourceRefusals.invalid(campaignErrors(strangers));
  const there = await holdExperimentCounts(client, command.workspace_id, site_id);
  if (there.site >= MAX_EXPERIMENTS) return refusals.quotaExceeded(MAX_EXPERIMENTS);
  if (there.workspace >= MAX_EXPERIMENTS_OF_WORKSPACE)
    return refusals.quotaExceeded(MAX_EXPERIMENTS_OF_WORKSPACE);
  const full = await fillsGateways(client, command.workspace_id);
  if (full !== undefined) return full;
  const experiment: ExperimentResource = {
    ...newResource(context.newId(), context.nowMs),
    workspace_id: command.workspace_id,
    ...fields.value,
    exclusions: { sessions_per_network: null },
    state: 'draft',
    salt: saltOf(context.newId()),
    started_at: null,
    stopped_at: null,
  };
  if (!(await insertExperiment(client, { resource: experiment, currency: site.currency })))
    return refusals.noSite();
  return {
    ok: experiment,
    facts: [experimentFact(experiment)],
    audit: { action: 'create', resource: 'partner_experiment', resourceId: experiment.id },
  };
}

/** 128 bits of a unique id, in the format that assignment hashes (docs/experiments/assignment.md). */
function saltOf(id: string): string {
  return fingerprintHex([id]).slice(0, SALT_DIGITS);
}

const SALT_DIGITS = 32;
