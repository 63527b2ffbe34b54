import type { RecordedAuditFact } from '@truetally/contracts/facts';
import { NO_WORKSPACE } from '@truetally/contracts/management';
import { RESOURCE_COMMAND, type ResourceCommand } from '@truetally/contracts/resource';
import { parseOwnJson, readAddress, UUID } from '@truetally/kernel';

/** A change that happened after a command was written, as the audit log has it. */
export type NewerChange = Pick<RecordedAuditFact, 'action' | 'at' | 'resource' | 'resource_id'>;

/** Which entries of the audit log show that what a command changes was changed. */
export interface ChangedResources {
  readonly workspaceId: string;
  /** Ids of resources. */
  readonly ids: readonly string[];
  /** Kinds of resources that count whatever their id is, where the command does not name it. */
  readonly kinds: readonly string[];
}

/** They add something, or record a time; what is newer stays as it is. */
const ADDING = /^(?:begin|create|record)-/;
/** Their resources are named by the caller, or by a body of thousands of rows. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  'accept-membership': ['member'],
  'decline-membership': ['member'],
  'put-products': ['catalogue', 'product'],
};
/** They say where the resource is, unless they are the resource. */
const PARENTS: readonly string[] = ['site_id', 'workspace_id'];

/**
 * What a command changes; undefined for a message that changes nothing older: one that adds, a request that
 * its service recognises by ids, a fact, and an unreadable one, which will not be executed.
 * @param address of the operation
 * @param bytes of the message
 */
export function changedBy(address: string, bytes: Buffer | null): ChangedResources | undefined {
  const { operation } = readAddress(address);
  if (operation === undefined || ADDING.test(operation)) return undefined;
  const command = commandIn(bytes);
  if (command === undefined) return undefined;
  const { params, workspace_id: within } = command;
  const kinds = KINDS[operation] ?? [];
  const ids = kinds.length > 0 ? [] : idsOf(params);
  const workspaceId = [params['workspace_id'] ?? NO_WORKSPACE, within, ...ids].find(isWorkspace);
  return workspaceId === undefined ? undefined : { workspaceId, ids, kinds };
}

function commandIn(bytes: Buffer | null): ResourceCommand | undefined {
  try {
    const read = RESOURCE_COMMAND.read(parseOwnJson(bytes?.toString() ?? ''));
    return read.ok ? read.value : undefined;
  } catch {
    return undefined;
  }
}

function idsOf(params: ResourceCommand['params']): readonly string[] {
  const own = Object.keys(params).filter((name) => !PARENTS.includes(name));
  const names = own.length > 0 ? own : PARENTS.filter((name) => name in params).slice(0, 1);
  return names.map((name) => params[name] ?? '').filter((id) => UUID.test(id));
}

function isWorkspace(id: string): boolean {
  return UUID.test(id) && id !== NO_WORKSPACE;
}
