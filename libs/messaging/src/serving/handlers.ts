import { type MessageHandler } from '@nestjs/microservices';
import { formatAddress, readJson } from '@truetally/kernel';
import { isObservable, lastValueFrom } from 'rxjs';
import { type BrokerClock, ownDeadlineMs } from '../broker-clock.js';
import { UnreadableError } from '../errors.js';
import { type AskKind, type IncomingRequest, isReply } from '../wire.js';
import { type BatchOutcome } from './batch-pattern.js';

export type Handle = (requests: readonly IncomingRequest[]) => Promise<readonly BatchOutcome[]>;

/** The `@Ctx()` of an ordinary handler, beside the body. */
export interface AskContext {
  /** Without prefix. */
  readonly topic: string;
  /** Where its topic carries several. */
  readonly operation?: string;
  readonly partition: number;
  readonly offset: string;
  readonly key: string;
  /** The same for every delivery of one ask: it identifies a command. */
  readonly correlationId: string;
  readonly kind: AskKind;
  /** When its asker times out, in epoch milliseconds by this machine's clock. */
  readonly deadlineMs?: number;
  readonly requestId?: string;
  /** Who answers for the request, where its asker knows. */
  readonly holder?: string;
  readonly traceparent?: string;
}

export function handleBatch(handler: MessageHandler<readonly IncomingRequest[]>): Handle {
  return async (requests) => {
    const outcomes = await valueOf(handler(requests, undefined));
    if (!Array.isArray(outcomes)) throw new TypeError('A batch handler gives an array of outcomes');
    return outcomes as readonly BatchOutcome[];
  };
}

/** Ordinary handlers, by address, take one parsed body each and return a Reply, or a Reply's JSON text. */
export function handleEach(handlers: ReadonlyMap<string, MessageHandler>, clock: Clock): Handle {
  return (requests) => Promise.all(requests.map((request) => handleOne(handlers, request, clock)));
}

type Clock = Pick<BrokerClock, 'skewMs'>;

async function handleOne(
  handlers: ReadonlyMap<string, MessageHandler>,
  request: IncomingRequest,
  clock: Clock,
): Promise<BatchOutcome> {
  const address = formatAddress(request);
  const handler = handlers.get(address);
  if (handler === undefined) throw new UnreadableError(`No handler for ${address}`);
  const reply = await valueOf(handler(parse(request.value), contextOf(request, clock)));
  if (handler.isEventHandler === true) return { reply: EVENT_REPLY };
  if (typeof reply === 'string') return { reply };
  if (!isReply(reply)) throw new TypeError(`The handler of ${address} gives no Reply`);
  return { reply };
}

/** A deadline by another's clock is no time that a handler could compare with its own. */
function contextOf(request: IncomingRequest, clock: Clock): AskContext {
  const deadlineMs = ownDeadlineMs(request, clock);
  return deadlineMs === request.deadlineMs || deadlineMs === undefined ? request : { ...request, deadlineMs };
}

const EVENT_REPLY = '{"ok":null}';

/** As the gateway reads bodies: no digit of a number is lost. */
function parse(value: string): unknown {
  const json = readJson(value);
  if (!json.ok) throw new UnreadableError(`The value is not JSON: ${json.error.message}`);
  return json.value.value;
}

/** Nest wraps results into promises and observables, and errors into observables. */
async function valueOf(result: unknown): Promise<unknown> {
  const value = await result;
  return isObservable(value) ? lastValueFrom(value) : value;
}
