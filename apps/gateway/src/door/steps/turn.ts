import { fingerprintHex } from '@truetally/kernel';
import type { Exchange } from '../../http/exchange.js';
import type { EndTurn, HolderTurns } from '../../http/holder-turns.js';
import type { AdmissionParts, Outcome } from './step.js';

/** What is stored costs the services more than what is read. */
const WRITTEN_TIMES = 4;
/** Services tell owners apart by it, and learn nobody's name. */
const HOLDER_DIGITS = 16;
/** A change costs transactions, facts and jobs, however small it is: for long, 64 of them a second. */
const CHANGE_BYTES = 64 * 1024;
/** A smaller body waits for no others. */
const SMALL_BYTES = 64 * 1024;
/** A packed body becomes about so many times as large; what it becomes at most is a service's largest message. */
const PACKED_TIMES = 8;
const LARGEST_BYTES = 1024 * 1024;
const READING: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/**
 * Waits for the turn of whoever answers for the request, before its body is read, so that nothing of it is in memory. Uploads have
 * places of their own: they wait only until what was sent before is paid for.
 */
export function waitForTurn(exchange: Exchange, parts: AdmissionParts): Outcome | Promise<Outcome> {
  const { turns, members } = parts;
  const { route } = exchange;
  const owner = ownerOf(exchange, members);
  if (owner === undefined || route === undefined) return undefined;
  if (route.credential === 'storefront-reader') {
    // Strangers with a public token: what they send waits apart from the owner's own.
    exchange.holder = holderOf(owner, 'visitors');
    turns.note(owner);
    return undefined;
  }
  const keep = (turn: EndTurn | undefined): Outcome => {
    // Not 429: the hour has room, and clients wait for its end after one.
    if (turn === undefined) return { name: 'no-turn-left' };
    return keepTurn(exchange, route.receives === undefined ? turn : paysLater(turns, owner, turn));
  };
  exchange.holder = holderOf(owner);
  const turn = turns.take(owner, 1, route.receives === undefined ? bodyBytesOf(exchange) : 0);
  return turn instanceof Promise ? turn.then(keep) : keep(turn);
}

function holderOf(...names: readonly string[]): string {
  return fingerprintHex(names).slice(0, HOLDER_DIGITS);
}

/** By what it announces; a body that comes in chunks counts as a small one. */
function bodyBytesOf({ request }: Exchange): number {
  const { 'content-length': length = '0', 'content-encoding': encoding } = request.headers;
  const bytes = Math.min(LARGEST_BYTES, Number(length) * (encoding === undefined ? 1 : PACKED_TIMES));
  return bytes < SMALL_BYTES ? 0 : bytes;
}

/** Undefined for the platform, and for a page's beacon, which is nobody's yet. */
function ownerOf({ caller }: Exchange, members: AdmissionParts['members']): string | undefined {
  if (caller === undefined || caller.kind === 'platform') return undefined;
  const [workspace = '', owner = workspace] = members.holdersOf(caller);
  return owner;
}

function paysLater(turns: HolderTurns, owner: string, turn: EndTurn): EndTurn {
  turn(0);
  let isPaid = false;
  return (bytes) => {
    if (!isPaid) turns.owe(owner, bytes);
    isPaid = true;
  };
}

function keepTurn(exchange: Exchange, turn: EndTurn): Outcome {
  const { request, response } = exchange;
  const least = READING.has(request.method) ? 0 : CHANGE_BYTES;
  exchange.endTurn = (bytes) => turn(bytes + Math.max(least, exchange.receivedBytes * WRITTEN_TIMES));
  if (!response.destroyed) {
    response.once('close', () => exchange.endTurn?.(0));
    return undefined;
  }
  // Nobody waits for the answer any more.
  turn(0);
  return 'answered';
}

/** What storing an event costs beside its bytes. */
const EVENT_BYTES = 1024;

/**
 * Waits until enough of the batches that its owner has sent before are answered: they are stored in the order of their arrival,
 * together with other shops' events. Behind its body, which may arrive slowly, and before it costs anything.
 */
export function waitForBatches(exchange: Exchange, parts: AdmissionParts): Outcome | Promise<Outcome> {
  const { batchTurns, members, asker } = parts;
  const { receivedBytes, cost } = exchange;
  const owner = ownerOf(exchange, members);
  if (owner === undefined) return undefined;
  const keep = (turn: EndTurn | undefined): Outcome => {
    if (turn === undefined) return { name: 'no-turn-left' };
    exchange.endBatch = () => turn(0);
    if (exchange.response.destroyed) return 'answered';
    // As before its body, which may be long ago.
    return asker.isAccepting() ? undefined : { name: 'unavailable' };
  };
  const turn = batchTurns.take(owner, receivedBytes + cost * EVENT_BYTES);
  return turn instanceof Promise ? turn.then(keep) : keep(turn);
}
