import { type ResourceCommand } from '@truetally/contracts/resource';
import { type BuriedMessage, type ReplayOutcome } from '@truetally/messaging';
import type { CommandContext, CommandWork, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { type HandledLetter, holdDeadLetter, markHandled } from '../storage/dead-letter.store.js';

/** Puts a message back on its topic. */
export type Replay = (buried: BuriedMessage) => Promise<ReplayOutcome>;

/** Whoever holds the admin secret: the platform has one. */
const ACTOR = 'admin';

/**
 * The message goes back to its topic while the letter is held, and the letter is marked in the same transaction. Should
 * that fail, the command is delivered again and so is the message, under the one correlation id by which its service knows
 * it again: its effect happens once all the same.
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

/** It is known, and nothing is to be done about it. */
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
