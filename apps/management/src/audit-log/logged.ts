import { isJsonObject } from '@truetally/contracts/validation';
import type { CommandWork } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { exceedsLately } from '../storage/often-made.store.js';

/** What fields say that only disable something, or take a right away. */
const DISABLED: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['status', ['draft', 'paused', 'archived']],
  ['enabled', [false]],
  ['publisher_mode', ['off']],
  ['role', ['analyst']],
]);
/** Entries beyond the quota for these, so that nobody fills the log by disabling one thing again and again. */
const DISABLING_MORE = 100_000;

/**
 * A command that makes or changes something, which the audit log of its workspace must have room for. What takes something away
 * is always carried out, and what disables it has room of its own: a full log never keeps a key or a campaign alive.
 */
export function logged(work: CommandWork): CommandWork {
  return async (client, command, context) => {
    const more = onlyDisables(command.body) ? 1 - DISABLING_MORE : 1;
    const { workspace_id: workspaceId } = command;
    const exceeded = await exceedsLately(client, 'audit_entries', { workspaceId, more });
    return exceeded === undefined ? work(client, command, context) : refusals.quotaExceeded(exceeded);
  };
}

/** @param body a patch, by itself or beside a new secret */
function onlyDisables(body: unknown): boolean {
  if (!isJsonObject(body)) return false;
  const { secret = null, patch = body } = body;
  const fields = isJsonObject(patch) && secret === null ? Object.entries(patch) : [];
  return fields.length > 0 && fields.every(([name, value]) => DISABLED.get(name)?.includes(value) === true);
}
