import { type IHeaders, type KafkaMessage } from 'kafkajs';

/** Header names of a request. Values are plain text; what has its default is left out. */
export const HEADER = {
  contract: 'contract-version',
  correlationId: 'correlation-id',
  replyTopic: 'reply-topic',
  /** Epoch milliseconds. */
  deadline: 'deadline',
  /** How long the asker waits, in milliseconds: beside a broker's stamp, its clock does not matter. */
  timeout: 'timeout',
  kind: 'kind',
  weight: 'weight',
  requestId: 'request-id',
  /** W3C trace context. */
  traceparent: 'traceparent',
} as const;

/** Beside `commandHeaders`, where a request's id is known: by which its dead letter would be found. */
export const REQUEST_ID_HEADER = HEADER.requestId;

/** Changes when a reader of the former version would misunderstand. */
const CONTRACT_VERSION = '1';

/** A command is carried out however late it arrives; a query past its deadline has nobody to read its answer. */
export type AskKind = 'command' | 'query';

/** One request as a handler sees it. */
export interface IncomingRequest {
  /** Without prefix. */
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly key: string;
  readonly value: string;
  /** What it counts against `rows` and `unstored`, for example its number of events. */
  readonly weight: number;
  readonly correlationId: string;
  readonly kind: AskKind;
  /** When the asker stops waiting, in epoch milliseconds: by its clock, or by the broker's where that has stamped it. */
  readonly deadlineMs?: number;
  /** Whether the record bears the broker's time (`LogAppendTime`), and its deadline therefore is by that. */
  readonly isStamped: boolean;
  /** The record's time, in epoch milliseconds. */
  readonly writtenMs: number;
  readonly requestId?: string;
  readonly traceparent?: string;
  /** With its prefix; missing when nobody waits for a reply. */
  readonly replyTopic?: string;
}

export interface RequestHeaders {
  readonly correlationId: string;
  readonly replyTopic: string | undefined;
  readonly deadlineMs: number;
  readonly timeoutMs: number;
  readonly kind: AskKind;
  readonly weight: number;
  readonly requestId: string | undefined;
  readonly traceparent: string | undefined;
}

export function encodeHeaders(request: RequestHeaders): IHeaders {
  const headers: IHeaders = {
    [HEADER.contract]: CONTRACT_VERSION,
    [HEADER.correlationId]: request.correlationId,
    [HEADER.deadline]: String(request.deadlineMs),
    [HEADER.timeout]: String(request.timeoutMs),
  };
  if (request.replyTopic !== undefined) headers[HEADER.replyTopic] = request.replyTopic;
  if (request.kind !== 'command') headers[HEADER.kind] = request.kind;
  if (request.weight !== 1) headers[HEADER.weight] = String(request.weight);
  if (request.requestId !== undefined) headers[HEADER.requestId] = request.requestId;
  if (request.traceparent !== undefined) headers[HEADER.traceparent] = request.traceparent;
  return headers;
}

/** Headers of a command that nobody waits for and that goes out as a fact does, through an outbox. */
export function commandHeaders(correlationId: string): Readonly<Record<string, string>> {
  return { [HEADER.contract]: CONTRACT_VERSION, [HEADER.correlationId]: correlationId };
}

/** The request, or in words what is wrong with the message. Never throws, whatever bytes come in. */
export function decodeRequest(
  topic: string,
  partition: number,
  message: KafkaMessage,
): IncomingRequest | string {
  const headers = message.headers ?? {};
  const contract = text(headers[HEADER.contract]);
  if (contract !== CONTRACT_VERSION)
    return `contract version ${contract ?? 'missing'}, not ${CONTRACT_VERSION}`;
  const correlationId = text(headers[HEADER.correlationId]);
  if (correlationId === undefined || correlationId === '') return 'no correlation id';
  if (message.value === null) return 'no value';
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
    value: message.value.toString(),
    weight: Number(weight),
    correlationId,
    kind,
    isStamped: isStampedByBroker(message),
    writtenMs: Number(message.timestamp),
  };
  if (request.isStamped && timeout !== undefined) request.deadlineMs = request.writtenMs + Number(timeout);
  else if (deadline !== undefined) request.deadlineMs = Number(deadline);
  const replyTopic = text(headers[HEADER.replyTopic]);
  if (replyTopic !== undefined) request.replyTopic = replyTopic;
  const requestId = text(headers[HEADER.requestId]);
  if (requestId !== undefined) request.requestId = requestId;
  const traceparent = text(headers[HEADER.traceparent]);
  if (traceparent !== undefined) request.traceparent = traceparent;
  return request;
}

/** Whether the record bears the time of its broker. The driver knows, and forgot it in its types. */
export function isStampedByBroker(message: KafkaMessage): boolean {
  const { batchContext } = message as { readonly batchContext?: { readonly timestampType?: unknown } };
  return batchContext?.timestampType === LOG_APPEND_TIME;
}

const LOG_APPEND_TIME = 1;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const WEIGHT = /^[1-9]\d{0,8}$/;
const EPOCH_MS = /^\d{1,15}$/;

/** Headers that came twice or not at all have no text. */
export function text(value: IHeaders[string]): string | undefined {
  if (typeof value === 'string') return value;
  return Buffer.isBuffer(value) ? value.toString() : undefined;
}
