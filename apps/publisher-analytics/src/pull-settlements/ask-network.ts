import { setTimeout as delay } from 'node:timers/promises';
import { fail, type Result, succeed } from '@truetally/kernel';
import type { NetworkAccount, NetworkConnector } from '../connectors/network-connector.js';
import type { RawRow } from '../domain/read-settlement-row.js';
import type { ReservedCall } from '../storage/pull.store.js';
import { type CallFault, type NetworkAnswer, type NetworkClient, ReadError } from './network-client.js';
import { type AnswerFault, type ReadAnswer, readAnswer } from './read-answer.js';

/** Why a page was not read: permanently (the merchant must act), temporarily, or a smaller one is needed. */
export interface PullFault {
  readonly kind: 'refused' | 'too-large' | 'unreachable';
  /** For the merchant, without the network's own text. */
  readonly message: string;
}

/** Stores the parts of one answer while it arrives. */
export interface AnswerParts {
  take(rows: readonly RawRow[]): Promise<void>;
}

export interface NetworkQuestion<Parts extends AnswerParts> {
  readonly connector: NetworkConnector;
  readonly client: NetworkClient;
  readonly baseUrl: string;
  readonly account: NetworkAccount;
  readonly page: string;
  readonly reserve: () => Promise<ReservedCall>;
  /** For the answer to a call, with the number of parts that were stored before the call. */
  readonly begin: (partsBefore: bigint) => Parts;
  readonly random: () => number;
}

/** A page, and its parts, of which the last one is not stored yet. */
export interface AskedPage<Parts extends AnswerParts> {
  readonly page: ReadAnswer;
  readonly parts: Parts;
}

/** Total time of a page's attempts: a step's deadline is 15 s, and storing its rows takes time. */
const BUDGET_MS = 10_000;
const CALL_TIMEOUT_MS = 8_000;
const MAX_ATTEMPTS = 4;
const FIRST_BACKOFF_MS = 250;
const TOO_MANY = 429;
const SERVER_FAULTS = 500;

/**
 * Requests one page, with retries at random, growing delays within the step's time. Parts of an answer that is not read
 * to its end stay stored: each row is a fact of its own, and is known when the page is read again.
 * @throws errors of storing
 */
export async function askNetwork<Parts extends AnswerParts>(
  question: NetworkQuestion<Parts>,
): Promise<Result<AskedPage<Parts>, PullFault>> {
  const deadlineMs = performance.now() + BUDGET_MS;
  let fault: PullFault = { kind: 'unreachable', message: 'The network allows no call at the moment.' };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const attempted = await attemptOnce(question, deadlineMs);
    if ('page' in attempted) return succeed(attempted);
    fault = attempted.fault;
    const backoffMs = question.random() * FIRST_BACKOFF_MS * 2 ** attempt;
    const waitMs = Math.max(attempted.waitMs ?? 0, backoffMs);
    if (fault.kind !== 'unreachable' || performance.now() + waitMs >= deadlineMs) break;
    await delay(waitMs);
  }
  return fail(fault);
}

type Attempt<Parts extends AnswerParts> =
  AskedPage<Parts> | { readonly fault: PullFault; readonly waitMs?: number | null };

async function attemptOnce<Parts extends AnswerParts>(
  question: NetworkQuestion<Parts>,
  deadlineMs: number,
): Promise<Attempt<Parts>> {
  const { connector, client, baseUrl, account, page, reserve, begin } = question;
  const reserved = await reserve();
  if ('waitMs' in reserved)
    return { fault: { kind: 'unreachable', message: THROTTLED }, waitMs: reserved.waitMs };
  const parts = begin(reserved.parts);
  let isStored = false;
  const take = async (rows: readonly RawRow[]): Promise<void> => {
    try {
      await parts.take(rows);
    } catch (cause) {
      throw new ReadError('A part of an answer could not be stored.', { cause });
    }
    isStored = true;
  };
  const timeoutMs = Math.max(1, Math.min(CALL_TIMEOUT_MS, deadlineMs - performance.now()));
  const answer = await client.call(baseUrl, connector.request(page, account), timeoutMs, (body) =>
    readAnswer(connector, page, body, take),
  );
  // It was arriving when its time was over: less of it arrives in time.
  if (!answer.ok && isStored) return { fault: faultOfAnswer('too-large') };
  if (!answer.ok) return { fault: faultOfCall(answer.error) };
  const { body, retryAfterMs } = answer.value;
  if (body === undefined) return { fault: faultOfStatus(answer.value), waitMs: retryAfterMs };
  return body.ok ? { page: body.value, parts } : { fault: faultOfAnswer(body.error) };
}

const THROTTLED = 'The network allows no more calls for a while.';

function faultOfCall(fault: CallFault): PullFault {
  switch (fault) {
    case 'private-address':
      return { kind: 'refused', message: 'base_url leads to a private, loopback or link-local address.' };
    case 'unreachable':
      return { kind: 'unreachable', message: 'The network did not answer.' };
  }
}

function faultOfAnswer(fault: AnswerFault): PullFault {
  switch (fault) {
    case 'foreign':
      return { kind: 'unreachable', message: 'The network gave an answer that is not whole.' };
    case 'too-large':
      return { kind: 'too-large', message: 'The network gave a larger answer than is read.' };
  }
}

function faultOfStatus({ status }: NetworkAnswer<unknown>): PullFault {
  if (status === TOO_MANY) return { kind: 'unreachable', message: THROTTLED };
  if (status >= SERVER_FAULTS) return { kind: 'unreachable', message: `The network answered ${status}.` };
  if (status === 401 || status === 403) {
    return { kind: 'refused', message: `The network refused the credentials (${status}).` };
  }
  return { kind: 'refused', message: `The network refused the request (${status}).` };
}
