import { readExclusions } from '@truetally/contracts/experiments';
import { changedResource, type ResourceCommand, resourceRefusals } from '@truetally/contracts/resource';
import { patchFields } from '@truetally/kernel';
import { type CommandContext, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { MAX_EXCLUSION_CHANGES } from '../domain/experiment.js';
import { refusals } from '../domain/refusals.js';
import { beginRound, countExclusionChanges, noteExclusionChange } from '../storage/exclusion-rounds.js';
import { storeExperiment } from '../storage/experiment.store.js';
import { experimentFact } from './experiment-fact.js';
import { lockForChange } from './lock-for-change.js';

/**
 * In any state, because sessions that nobody had are found while an experiment runs. It changes no assignment; each change is kept
 * beside the results, so that nobody tries rules until one of them pleases.
 */
export async function setExclusions(
  client: ClientBase,
  command: ResourceCommand,
  context: CommandContext,
): Promise<Outcome> {
  const known = await lockForChange(client, command);
  if ('error' in known) return known;
  const { resource: experiment, currency } = known;
  const exclusions = readExclusions(patchFields(experiment.exclusions, command.body));
  if (!exclusions.ok) return resourceRefusals.invalid(exclusions.error);
  const audit = { action: 'exclude', resource: 'partner_experiment', resourceId: experiment.id };
  if (exclusions.value.sessions_per_network === experiment.exclusions.sessions_per_network)
    return { ok: experiment, audit };
  if ((await countExclusionChanges(client, experiment.id)) >= MAX_EXCLUSION_CHANGES)
    return refusals.tooManyExclusionChanges(MAX_EXCLUSION_CHANGES);
  const changed = changedResource(experiment, { exclusions: exclusions.value }, context.nowMs);
  await storeExperiment(client, { resource: changed, currency });
  await noteExclusionChange(client, changed);
  await beginRound(client, changed);
  return { ok: changed, facts: [experimentFact(changed)], audit };
}
