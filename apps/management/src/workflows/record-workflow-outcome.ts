import { WORKFLOW_OUTCOME, type RecordedOutcome } from '@truetally/contracts/management';
import { changedResource, type ResourceCommand } from '@truetally/contracts/resource';
import { UnreadableError } from '@truetally/messaging';
import type { CommandContext, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { holdOfSite } from '../storage/hold-of-site.js';
import {
  storeLastDelivery,
  storeWorkflow,
  type StoredWorkflow,
  WORKFLOWS,
} from '../storage/workflow.store.js';
import { workflowFact } from './workflow-fact.js';

const UNCHANGED: RecordedOutcome = { disabled: false };

/**
 * Records what the second program says of a workflow's deliveries, and disables one that has only failed for three days. A member
 * who has changed the workflow since has the last word. A deleted workflow is skipped.
 */
export async function recordWorkflowOutcome(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs }: CommandContext,
): Promise<Outcome> {
  const read = WORKFLOW_OUTCOME.read(command.body);
  if (!read.ok) throw new UnreadableError(read.error);
  const { last_delivered_at: lastDeliveredAt, is_failing: isFailing, version } = read.value;
  const workflow = await holdOfSite(client, command, WORKFLOWS);
  if (workflow === undefined) return { ok: UNCHANGED };
  if (lastDeliveredAt !== null) await storeLastDelivery(client, workflow.id, lastDeliveredAt);
  if (!isFailing || !workflow.enabled || workflow.version !== version) return { ok: UNCHANGED };
  const disabled: StoredWorkflow = changedResource(
    workflow,
    { enabled: false, disabled_reason: 'failing' as const },
    nowMs,
  );
  await storeWorkflow(client, disabled);
  return {
    ok: { disabled: true } satisfies RecordedOutcome,
    facts: [workflowFact(disabled)],
    audit: { action: 'disable', resource: 'workflow', resourceId: workflow.id },
  };
}
