import type { FormerSecret, WorkflowRecord } from '../facts/workflow-record.js';
import type { WorkflowResource } from './workflow.js';

/** The secrets of a workflow, sealed. */
export interface WorkflowSecrets {
  readonly key_id: string;
  /** Base64. */
  readonly sealed: string;
  /** The newest first. */
  readonly former_secrets: readonly FormerSecret[];
}

type Published =
  'id' | 'workspace_id' | 'site_id' | 'trigger' | 'action' | 'enabled' | 'version' | 'updated_at';

/** What is published of a stored workflow. */
export interface PublishedWorkflow extends Pick<WorkflowResource, Published>, WorkflowSecrets {
  /** Facts from before it trigger nothing. */
  readonly effective_from: string;
}

/** The value of `workflows.v1`, by which facts are matched and deliveries are signed. */
export function workflowRecordOf(workflow: PublishedWorkflow): WorkflowRecord {
  const { id, workspace_id, site_id, enabled, trigger, action, version, effective_from, updated_at } =
    workflow;
  return {
    workflow_id: id,
    workspace_id,
    site_id,
    enabled,
    event_types: trigger.event_types,
    match: trigger.match,
    conditions: trigger.conditions,
    url: action.url,
    secret: { key_id: workflow.key_id, sealed: workflow.sealed },
    former_secrets: workflow.former_secrets,
    version,
    effective_from,
    updated_at,
  };
}
