import { WORKFLOW_RECORD } from '@truetally/contracts/facts';
import {
  type PublishedWorkflow,
  type WorkflowResource,
  workflowRecordOf,
} from '@truetally/contracts/management';
import { TOPICS } from '@truetally/contracts/topics';
import type { StoredWorkflow } from '../storage/workflow.store.js';

/** The record by which facts are matched and deliveries are signed. */
export function workflowFact(workflow: PublishedWorkflow) {
  const value = WORKFLOW_RECORD.encode(workflowRecordOf(workflow));
  return { topic: TOPICS.workflows.name, key: workflow.id, value };
}

/** What clients read of a stored workflow. */
export function presentWorkflow(workflow: StoredWorkflow): WorkflowResource {
  const { id, workspace_id, site_id, name, trigger, action, enabled, disabled_reason } = workflow;
  const { last_delivered_at, version, created_at, updated_at } = workflow;
  const times = { version, created_at, updated_at };
  const states = { enabled, disabled_reason, last_delivered_at };
  return { id, workspace_id, site_id, name, trigger, action, ...states, ...times };
}
