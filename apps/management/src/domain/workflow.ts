import type { SealedText } from '@truetally/contracts/facts';
import {
  type DisabledReason,
  readWorkflow,
  type WorkflowFields,
  type WorkflowResource,
  type WorkflowSecrets,
} from '@truetally/contracts/management';
import type { BodyReading } from '@truetally/contracts/resource';
import { isJsonObject } from '@truetally/contracts/validation';
import { fail, patchFields } from '@truetally/kernel';

/** Of a site: each event is compared with those of its type. */
export const MAX_WORKFLOWS_OF_SITE = 200;

/** How long a replaced secret signs, too (interface page, section 10). */
export const FORMER_SECRET_MS = 24 * 3_600_000;
/** Each is a signature of every delivery. */
export const MAX_FORMER_SECRETS = 9;

/** A workflow after a patch, validated like a new one. Its site never changes, because its deliveries are the site's. */
export function patchWorkflow(workflow: WorkflowResource, patch: unknown): BodyReading<WorkflowFields> {
  const { site_id, name, trigger, action, enabled } = workflow;
  const patched = patchFields({ site_id, name, trigger, action, enabled }, patch);
  if (!isJsonObject(patched)) return readWorkflow(patched);
  const fields = readWorkflow({ ...patched, site_id });
  if (String(patched['site_id']).toLowerCase() === site_id) return fields;
  return fail({ site_id: ['cannot be changed'], ...(fields.ok ? {} : fields.error) });
}

/** Why it is disabled after a member's change: a workflow that stays disabled keeps its reason. */
export function reasonAfter(before: WorkflowResource, enabled: boolean): DisabledReason | null {
  return enabled ? null : (before.disabled_reason ?? 'member');
}

/**
 * The secrets after a change: each that was in force before signs, too, for a while.
 * @returns undefined when more would sign than may: one would lose its time
 */
export function replaceSecret(
  { key_id, sealed, former_secrets }: WorkflowSecrets,
  next: SealedText,
  nowMs: number,
): WorkflowSecrets | undefined {
  const signing = former_secrets.filter(({ until }) => Date.parse(until) > nowMs);
  if (signing.length >= MAX_FORMER_SECRETS) return undefined;
  const former = { key_id, sealed, until: new Date(nowMs + FORMER_SECRET_MS).toISOString() };
  return { ...next, former_secrets: [former, ...signing] };
}
