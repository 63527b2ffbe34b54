import { campaignErrors } from '@truetally/contracts/experiments';
import { patchedResource, type ResourceCommand, resourceRefusals } from '@truetally/contracts/resource';
import { type CommandContext, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { patchExperiment } from '../domain/experiment.js';
import { refusals } from '../domain/refusals.js';
import { storeExperiment } from '../storage/experiment.store.js';
import { strangersAmong } from '../storage/surroundings.store.js';
import { fillsGateways } from './fills-gateways.js';
import { experimentFact } from './experiment-fact.js';
import { lockForChange } from './lock-for-change.js';

/** Only in `draft` (interface page, section 7): assignments of different rules are never pooled. */
export async function updateExperiment(
  client: ClientBase,
  command: ResourceCommand,
  context: CommandContext,
): Promise<Outcome> {
  const { workspace_id: workspaceId, body } = command;
  const known = await lockForChange(client, command);
  if ('error' in known) return known;
  const { resource: experiment, currency } = known;
  if (experiment.state !== 'draft') return refusals.onlyDraft(experiment.state);
  const fields = patchExperiment(experiment, body);
  if (!fields.ok) return resourceRefusals.invalid(fields.error);
  const { site_id, surface, campaign_ids } = fields.value;
  const strangers = await strangersAmong(client, site_id, surface, campaign_ids);
  if (strangers.length > 0) return resourceRefusals.invalid(campaignErrors(strangers));
  const grows = campaign_ids.length > experiment.campaign_ids.length;
  const full = grows ? await fillsGateways(client, workspaceId) : undefined;
  if (full !== undefined) return full;
  const changed = patchedResource(experiment, fields.value, context.nowMs);
  const isSame = changed === experiment;
  if (!isSame) await storeExperiment(client, { resource: changed, currency });
  return {
    ok: changed,
    facts: isSame ? [] : [experimentFact(changed)],
    audit: { action: 'update', resource: 'partner_experiment', resourceId: experiment.id },
  };
}
