import type { Exchange } from '../../http/exchange.js';
import type { EndTurn } from '../../http/holder-turns.js';
import type { AdmissionParts, Outcome } from './step.js';

/** What is stored costs the services more than what is read. */
const WRITTEN_TIMES = 4;

/**
 * Waits for the turn of whoever answers for the request, before its body is read, so that nothing of it is in memory. Uploads have
 * places of their own.
 */
export function waitForTurn(
  exchange: Exchange,
  { turns, members }: AdmissionParts,
): Outcome | Promise<Outcome> {
  const { caller, route } = exchange;
  if (caller === undefined || caller.kind === 'platform' || route === undefined) return undefined;
  const [workspace = '', owner = workspace] = members.holdersOf(caller);
  if (route.credential === 'storefront-reader' || route.receives !== undefined) {
    turns.note(owner);
    return undefined;
  }
  const turn = turns.take(owner);
  return turn instanceof Promise ? turn.then((taken) => keep(exchange, taken)) : keep(exchange, turn);
}

function keep(exchange: Exchange, turn: EndTurn | undefined): Outcome {
  // Not 429: the hour has room, and clients wait for its end after one.
  if (turn === undefined) return { name: 'no-turn-left' };
  const { response } = exchange;
  exchange.endTurn = (bytes) => turn(bytes + exchange.receivedBytes * WRITTEN_TIMES);
  if (!response.destroyed) {
    response.once('close', () => turn(0));
    return undefined;
  }
  // Nobody waits for the answer any more.
  turn(0);
  return 'answered';
}
