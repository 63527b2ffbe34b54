import type { CommandWork } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { exceedsLately } from '../storage/often-made.store.js';

/**
 * A command that makes or changes something, which the audit log of its workspace must have room for. What takes something away
 * is always carried out: a full log never keeps a key alive.
 */
export function logged(work: CommandWork): CommandWork {
  return async (client, command, context) => {
    const exceeded = await exceedsLately(client, 'audit_entries', { workspaceId: command.workspace_id });
    return exceeded === undefined ? work(client, command, context) : refusals.quotaExceeded(exceeded);
  };
}
