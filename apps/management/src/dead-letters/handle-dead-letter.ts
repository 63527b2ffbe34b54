import { type ResourceCommand } from '@truetally/contracts/resource';
import { type BuriedMessage, type ReplayOutcome } from '@truetally/messaging';
import type { CommandContext, CommandWork, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { type HandledLetter, holdDeadLetter, markHandled } from '../storage/dead-letter.store.js';

/** Writes a message back to its topic. */
export type Replay = (buried: BuriedMessage) => Promise<ReplayOutcome>;

/** Any holder of the admin secret: the platform has a single one. */
const ACTOR = 'admin';

/**
 * The message is written back to its topic while the dead letter is locked, and the dead letter is marked in
 * the same transaction. If that fails, the command is redelivered and so is the message, under the same
 * correlation id, by which its service recognises it: it still takes effect only once.
 */
export function replayDeadLetter(replay: Replay, requestId: string | undefined): CommandWork {
  return async (client, command, context) => {
    const held = await holdDeadLetter(client, idOf(command));
    if (held === undefined) return refusals.noDeadLetter();
    if (held.resource.state !== 'waiting') return refusals.deadLetterHandled(held.resource.state);
    if (held.isTooOld) return refusals.deadLetterTooOld();
    const outcome = await replay(held.buried);
    if (outcome === 'gone') return refusals.deadLetterGone();
    if (outcome === 'state') return refusals.deadLetterIsState();
    return handled(client, { resource: held.resource, action: 'replay', requestId, ...said(context) });
  };
}

/** Discards a dead letter: it is known, and needs no action. */
export function discardDeadLetter(requestId: string | undefined): CommandWork {
  return async (client, command, context) => {
    const held = await holdDeadLetter(client, idOf(command));
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
