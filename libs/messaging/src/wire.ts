import { failure, parseOwnJson, type Reply } from '@truetally/kernel';
import { type IHeaders, type KafkaMessage, type Message } from 'kafkajs';

/** Header names of a request. Values are plain text; defaults are omitted. */
export const HEADER = {
  contract: 'contract-version',
  correlationId: 'correlation-id',
  replyTopic: 'reply-topic',
  /** Epoch milliseconds. */
  deadline: 'deadline',
  /**
   * The asker's timeout in milliseconds: combined with a broker's timestamp it makes the asker's clock
   * irrelevant.
   */
  timeout: 'timeout',
  kind: 'kind',
  /** Of a topic that carries several: which one. */
  operation: 'operation',
  /** When a service first did not know the operation of a command, in epoch milliseconds. */
  unknownSince: 'unknown-since',
  weight: 'weight',
  requestId: 'request-id',
  /** Who answers for the request, as a name that leads to nobody: of whom expensive reads take turns. */
  holder: 'holder',
  /** W3C trace context. */
  traceparent: 'traceparent',
  /** All of the above, of an ask, as one: each costs its broker most of a microsecond, and its reader a part of one. */
  ask: 'ask',
} as const;

/** In `HEADER.ask` it stands for a header's name, before its value and a line's end. */
const LETTERS: Readonly<Record<string, string>> = {
  [HEADER.contract]: 'v',
  [HEADER.correlationId]: 'c',
  [HEADER.replyTopic]: 'r',
  [HEADER.deadline]: 'd',
  [HEADER.timeout]: 't',
  [HEADER.kind]: 'k',
  [HEADER.operation]: 'o',
  [HEADER.weight]: 'w',
  [HEADER.requestId]: 'i',
  [HEADER.holder]: 'h',
  [HEADER.traceparent]: 'p',
};
const NAMES = new Map(Object.entries(LETTERS).map(([name, letter]) => [letter, name]));

/** Goes beside `commandHeaders` where a request's id is known: operators find its dead letter by it. */
export const REQUEST_ID_HEADER = HEADER.requestId;

/** Changes when a reader of the former version would misunderstand. */
const CONTRACT_VERSION = '1';

/** A command is executed however late it arrives, if it is not refused; a query past its deadline has no reader for its answer. */
export type AskKind = 'command' | 'query';

/** One request as a handler sees it. */
export interface IncomingRequest {
  /** Without prefix. */
  readonly topic: string;
  /** Where its topic carries several. */
  readonly operation?: string;
  readonly partition: number;
  readonly offset: string;
  readonly key: string;
  readonly value: string;
  /** Its weight against `rows` and `unstored`, for example its number of events. */
  readonly weight: number;
  readonly correlationId: string;
  readonly kind: AskKind;
  /** When the asker times out, in epoch milliseconds of its clock. */
  readonly deadlineMs?: number;
  /** The same by the clock of the broker, where that has stamped the record. */
  readonly brokerDeadlineMs?: number;
  /** Whether the record has the broker's timestamp (`LogAppendTime`). */
  readonly isStamped: boolean;
  /** The record's timestamp, in epoch milliseconds. */
  readonly writtenMs: number;
  readonly requestId?: string;
  readonly holder?: string;
  readonly traceparent?: string;
  /** With its prefix; absent when no reply is expected. */
  readonly replyTopic?: string;
}

export interface RequestHeaders {
  readonly correlationId: string;
  readonly replyTopic: string | undefined;
  readonly deadlineMs: number;
  readonly timeoutMs: number;
  readonly kind: AskKind;
  readonly operation: string | undefined;
  readonly weight: number;
  readonly requestId: string | undefined;
  readonly holder: string | undefined;
  readonly traceparent: string | undefined;
}

export function encodeHeaders(request: RequestHeaders): IHeaders {
  const headers: Record<string, string> = {
    [HEADER.contract]: CONTRACT_VERSION,
    [HEADER.correlationId]: request.correlationId,
  };
  if (request.replyTopic !== undefined) headers[HEADER.replyTopic] = request.replyTopic;
  if (request.kind === 'query') {
    headers[HEADER.kind] = request.kind;
    headers[HEADER.deadline] = String(request.deadlineMs);
    headers[HEADER.timeout] = String(request.timeoutMs);
  }
  if (request.operation !== undefined) headers[HEADER.operation] = request.operation;
  if (request.weight !== 1) headers[HEADER.weight] = String(request.weight);
  if (request.requestId !== undefined) headers[HEADER.requestId] = request.requestId;
  if (request.holder !== undefined) headers[HEADER.holder] = request.holder;
  if (request.traceparent !== undefined) headers[HEADER.traceparent] = request.traceparent;
  return packed(headers);
}

function packed(headers: Readonly<Record<string, string>>): IHeaders {
  let lines = '';
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (value.includes('\n')) return headers;
    lines += `${LETTERS[name] ?? ''}${value}\n`;
  }
  return { [HEADER.ask]: lines };
}

/** A message's headers one by one: an ask's travel as one. */
export function unpacked(headers: IHeaders = {}): IHeaders {
  const lines = text(headers[HEADER.ask]);
  if (lines === undefined) return headers;
  const all: IHeaders = {};
  for (const name in headers) if (name !== HEADER.ask) all[name] = headers[name];
  for (let at = 0, end; (end = lines.indexOf('\n', at)) >= 0; at = end + 1) {
    const name = NAMES.get(lines.charAt(at));
    if (name !== undefined) all[name] = lines.slice(at + 1, end);
  }
  return all;
}

/** Headers of a command without a reply that is published through an outbox. */
export function commandHeaders(correlationId: string, operation?: string): Readonly<Record<string, string>> {
  const headers = { [HEADER.contract]: CONTRACT_VERSION, [HEADER.correlationId]: correlationId };
  return operation === undefined ? headers : { ...headers, [HEADER.operation]: operation };
}

/** The request, or why the message is invalid. Never throws, whatever bytes it gets. */
export function decodeRequest(
  topic: string,
  partition: number,
  message: KafkaMessage,
): IncomingRequest | string {
  const headers = unpacked(message.headers);
  const contract = text(headers[HEADER.contract]);
  if (contract !== CONTRACT_VERSION)
    return `contract version ${contract ?? 'missing'}, not ${CONTRACT_VERSION}`;
  const correlationId = text(headers[HEADER.correlationId]);
  if (correlationId === undefined || correlationId === '') return 'no correlation id';
  const { value } = message;
  if (value === null) return 'no value';
  const weight = text(headers[HEADER.weight]) ?? '1';
  if (!WEIGHT.test(weight)) return `weight ${weight} is not a positive number`;
  const deadline = text(headers[HEADER.deadline]);
  if (deadline !== undefined && !EPOCH_MS.test(deadline))
    return `deadline ${deadline} is not epoch milliseconds`;
  const timeout = text(headers[HEADER.timeout]);
  if (timeout !== undefined && !EPOCH_MS.test(timeout)) return `timeout ${timeout} is not milliseconds`;
  const kind = text(headers[HEADER.kind]) ?? 'command';
  if (kind !== 'command' && kind !== 'query') return `kind ${kind} is neither command nor query`;
  const request: Mutable<IncomingRequest> = {
    topic,
    partition,
    offset: message.offset,
    key: message.key?.toString() ?? '',
    value: value.toString(),
    weight: Number(weight),
    correlationId,
    kind,
    isStamped: isStampedByBroker(message),
    writtenMs: Number(message.timestamp),
  };
  if (deadline !== undefined) request.deadlineMs = Number(deadline);
  if (request.isStamped && timeout !== undefined)
    request.brokerDeadlineMs = request.writtenMs + Number(timeout);
  const operation = text(headers[HEADER.operation]);
  if (operation !== undefined) request.operation = operation;
  const replyTopic = text(headers[HEADER.replyTopic]);
  if (replyTopic !== undefined) request.replyTopic = replyTopic;
  const requestId = text(headers[HEADER.requestId]);
  if (requestId !== undefined) request.requestId = requestId;
  const holder = text(headers[HEADER.holder]);
  if (holder !== undefined) request.holder = holder;
  const traceparent = text(headers[HEADER.traceparent]);
  if (traceparent !== undefined) request.traceparent = traceparent;
  return request;
}

/** Whether the record has its broker's timestamp. The driver knows, but not in its types. */
export function isStampedByBroker(message: KafkaMessage): boolean {
  const { batchContext } = message as { readonly batchContext?: { readonly timestampType?: unknown } };
  return batchContext?.timestampType === LOG_APPEND_TIME;
}

const LOG_APPEND_TIME = 1;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const WEIGHT = /^[1-9]\d{0,8}$/;
const EPOCH_MS = /^\d{1,15}$/;

/** A header that is repeated or absent has no text. */
export function text(value: IHeaders[string]): string | undefined {
  if (typeof value === 'string') return value;
  return Buffer.isBuffer(value) ? value.toString() : undefined;
}

const UNREADABLE = failure('INTERNAL_ERROR', 'The reply could not be read');

/** Replies of one send to one asker as one record, without a key: correlation ids and replies in turn. */
export function bundledReplies(replies: readonly Message[]): readonly Message[] {
  let written = '';
  for (const { key, value } of replies) written += `${String(key)}${BETWEEN}${String(value)}${BETWEEN}`;
  const isPlain = replies.length > 1 && written.split(BETWEEN).length === replies.length * 2 + 1;
  return isPlain ? [{ key: null, value: written }] : replies;
}

/** Correlation ids and replies in turn: of a bundle, or of one that travelled alone. */
export function repliesOf({ key, value }: Pick<KafkaMessage, 'key' | 'value'>): readonly string[] {
  if (value === null) return [];
  return key === null ? value.toString().split(BETWEEN) : [key.toString(), value.toString()];
}

/** No JSON has it. */
const BETWEEN = '\0';

export function readReply(written: string): Reply<unknown> {
  try {
    const reply = parseOwnJson(written);
    if (isReply(reply)) return reply;
  } catch {
    // Logged below; the fault is the server's.
  }
  return UNREADABLE;
}

export function isReply(value: unknown): value is Reply<unknown> {
  return typeof value === 'object' && value !== null && ('ok' in value || 'error' in value);
}
