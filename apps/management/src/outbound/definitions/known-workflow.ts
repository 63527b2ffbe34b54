import type { WorkflowRecord } from '@truetally/contracts/facts';
import { fail, type Failure, type Result, succeed } from '@truetally/kernel';
import { refusals } from '../domain/refusals.js';
import type { WorkflowDirectory } from './workflow-directory.js';

/** Longer than a change takes from management to here. */
const KNOWN_WITHIN_MS = 2_000;

/**
 * The workflow that a request names, in the version that management told the gateway, or a later one: an answer never contradicts
 * the one before it.
 */
export async function knownWorkflow(
  directory: WorkflowDirectory,
  { workspaceId, workflowId, version }: { workspaceId: string; workflowId: string; version: number },
): Promise<Result<WorkflowRecord, { readonly error: Failure }>> {
  const workflow = await directory.atVersion(workflowId, version, KNOWN_WITHIN_MS);
  if (workflow === undefined) return fail(refusals.notKnownYet());
  return workflow.workspace_id === workspaceId ? succeed(workflow) : fail(refusals.noWorkflow());
}
