import { type ResourceCommand } from '@truetally/contracts/resource';
import type { BuriedMessage, FoundMessage } from '@truetally/messaging';
import type { CommandContext, CommandWork, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { changedBy } from '../domain/newer-change.js';
import { refusals } from '../domain/refusals.js';
import { newestChangeOf } from '../storage/audit-log.store.js';
import { type HandledLetter, holdDeadLetter, markHandled } from '../storage/dead-letter.store.js';

/** Reads the message of a dead letter, and writes it back to its topic. */
export interface Graveyard {
  find(buried: BuriedMessage): Promise<FoundMessage | 'gone' | 'state'>;
  replay(found: FoundMessage): Promise<void>;
}

/** Any holder of the admin secret: the platform has a single one. */
const ACTOR = 'admin';

/**
 * The message is written back to its topic while the dead letter is locked, and the dead letter is marked in
 * the same transaction. If that fails, the command is redelivered and so is the message, under the same
 * correlation id, by which its service recognises it: it still takes effect only once. An older change is
 * replayed over a newer one only by force: the audit log of all services has the newer one.
 */
export function replayDeadLetter(graveyard: Graveyard, requestId: string | undefined): CommandWork {
  return async (client, command, context) => {
    const held = await holdDeadLetter(client, idOf(command), context.nowMs);
    if (held === undefined) return refusals.noDeadLetter();
    if (held.resource.state !== 'waiting') return refusals.deadLetterHandled(held.resource.state);
    if (held.isTooOld) return refusals.deadLetterTooOld();
    const found = await graveyard.find(held.buried);
    if (found === 'gone') return refusals.deadLetterGone();
    if (found === 'state') return refusals.deadLetterIsState();
    const changed = changedBy(found.to, found.value);
    const newer = changed === undefined ? undefined : await newestChangeOf(client, changed, held.writtenMs);
    if (newer !== undefined && !isForced(command)) return refusals.deadLetterOutdated(newer);
    await graveyard.replay(found);
    const action = newer === undefined ? 'replay' : 'forced-replay';
    return handled(client, { resource: held.resource, action, requestId, ...said(context) });
  };
}

/** Discards a dead letter: it is known, and needs no action. */
export function discardDeadLetter(requestId: string | undefined): CommandWork {
  return async (client, command, context) => {
    const held = await holdDeadLetter(client, idOf(command), context.nowMs);
    if (held === undefined) return refusals.noDeadLetter();
    if (held.resource.state !== 'waiting') return refusals.deadLetterHandled(held.resource.state);
    return handled(client, { resource: held.resource, action: 'discard', requestId, ...said(context) });
  };
}

async function handled(client: ClientBase, what: HandledLetter): Promise<Outcome> {
  return { ok: await markHandled(client, what) };
}

function said({ nowMs }: CommandContext): Pick<HandledLetter, 'actor' | 'nowMs'> {
  return { actor: ACTOR, nowMs };
}

function idOf({ params }: ResourceCommand): string {
  return params['id'] ?? '';
}

/** The body of a replay is `{ force }`, from the gateway. */
function isForced({ body }: ResourceCommand): boolean {
  return typeof body === 'object' && body !== null && 'force' in body && body.force === true;
}
