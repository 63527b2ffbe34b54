import { WORKFLOW_CHANGE } from '@truetally/contracts/management';
import { patchedResource, type ResourceCommand } from '@truetally/contracts/resource';
import { UnreadableError } from '@truetally/messaging';
import { isStale, type CommandContext, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { MAX_FORMER_SECRETS, patchWorkflow, reasonAfter, replaceSecret } from '../domain/workflow.js';
import { holdOfSite } from '../storage/hold-of-site.js';
import { storeWorkflow, type StoredWorkflow, WORKFLOWS } from '../storage/workflow.store.js';
import { presentWorkflow, workflowFact } from './workflow-fact.js';

/** A fact that is on its way is matched with the workflow as it stands when the fact arrives. */
export async function updateWorkflow(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs }: CommandContext,
): Promise<Outcome> {
  const read = WORKFLOW_CHANGE.read(command.body);
  if (!read.ok) throw new UnreadableError(read.error);
  const workflow = await holdOfSite(client, command, WORKFLOWS);
  if (workflow === undefined) return refusals.noWorkflow();
  if (isStale(command.version, workflow.version)) return refusals.staleVersion(workflow.version);
  const fields = patchWorkflow(workflow, read.value.patch);
  if (!fields.ok) return refusals.invalid(fields.error);
  const { secret } = read.value;
  const secrets = secret === null ? workflow : replaceSecret(workflow, secret, nowMs);
  if (secrets === undefined) return refusals.tooManySecrets(MAX_FORMER_SECRETS);
  const { key_id, sealed, former_secrets } = secrets;
  const changed: StoredWorkflow = patchedResource(
    workflow,
    {
      ...fields.value,
      disabled_reason: reasonAfter(workflow, fields.value.enabled),
      key_id,
      sealed,
      former_secrets,
      // Facts of the time while it was disabled trigger nothing later.
      effective_from:
        !workflow.enabled && fields.value.enabled ? new Date(nowMs).toISOString() : workflow.effective_from,
    },
    nowMs,
  );
  const isSame = changed === workflow;
  if (!isSame) await storeWorkflow(client, changed);
  return {
    ok: presentWorkflow(changed),
    facts: isSame ? [] : [workflowFact(changed)],
    audit: { action: 'update', resource: 'workflow', resourceId: workflow.id },
  };
}
