import { setTimeout as delay } from 'node:timers/promises';
import { fail, readJson, type Result, succeed } from '@truetally/kernel';
import type { NetworkAccount, NetworkConnector, NetworkPage } from '../connectors/network-connector.js';
import type { CallFault, NetworkAnswer, NetworkClient } from './network-client.js';

/** Why a page was not read: permanently (the merchant must act), or temporarily. */
export interface PullFault {
  readonly kind: 'refused' | 'unreachable';
  /** For the merchant, without the network's own text. */
  readonly message: string;
}

export interface NetworkQuestion {
  readonly connector: NetworkConnector;
  readonly client: NetworkClient;
  readonly baseUrl: string;
  readonly account: NetworkAccount;
  readonly page: string;
  /** How long to wait until the account may call again; 0 reserves a call. */
  readonly reserve: () => Promise<number>;
  readonly random: () => number;
}

/** Total time of a page's attempts: a step's deadline is 15 s, and storing its rows takes time. */
const BUDGET_MS = 10_000;
const CALL_TIMEOUT_MS = 8_000;
const MAX_ATTEMPTS = 4;
const FIRST_BACKOFF_MS = 250;
const OK = 200;
const TOO_MANY = 429;
const SERVER_FAULTS = 500;

/** Requests one page, with retries at random, growing delays within the step's time. */
export async function askNetwork(question: NetworkQuestion): Promise<Result<NetworkPage, PullFault>> {
  const deadlineMs = performance.now() + BUDGET_MS;
  let fault: PullFault = { kind: 'unreachable', message: 'The network allows no call at the moment.' };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const attempted = await attemptOnce(question, deadlineMs);
    if ('page' in attempted) return succeed(attempted.page);
    fault = attempted.fault;
    const backoffMs = question.random() * FIRST_BACKOFF_MS * 2 ** attempt;
    const waitMs = Math.max(attempted.waitMs ?? 0, backoffMs);
    if (fault.kind === 'refused' || performance.now() + waitMs >= deadlineMs) break;
    await delay(waitMs);
  }
  return fail(fault);
}

type Attempt =
  { readonly page: NetworkPage } | { readonly fault: PullFault; readonly waitMs?: number | null };

async function attemptOnce(question: NetworkQuestion, deadlineMs: number): Promise<Attempt> {
  const { connector, client, baseUrl, account, page, reserve } = question;
  const waitMs = await reserve();
  if (waitMs > 0) return { fault: { kind: 'unreachable', message: THROTTLED }, waitMs };
  const timeoutMs = Math.max(1, Math.min(CALL_TIMEOUT_MS, deadlineMs - performance.now()));
  const answer = await client.call(baseUrl, connector.request(page, account), timeoutMs);
  if (!answer.ok) return { fault: faultOfCall(answer.error) };
  const refusal = faultOfStatus(answer.value);
  if (refusal !== undefined) return { fault: refusal, waitMs: answer.value.retryAfterMs };
  const json = readJson(answer.value.text);
  const read = json.ok ? connector.read(page, json.value.value) : undefined;
  return read === undefined
    ? { fault: { kind: 'unreachable', message: 'The network gave an answer that is not whole.' } }
    : { page: read };
}

const THROTTLED = 'The network allows no more calls for a while.';

function faultOfCall(fault: CallFault): PullFault {
  switch (fault) {
    case 'private-address':
      return { kind: 'refused', message: 'base_url leads to a private, loopback or link-local address.' };
    case 'too-large':
      return { kind: 'refused', message: 'The network gave a larger answer than is read.' };
    case 'unreachable':
      return { kind: 'unreachable', message: 'The network did not answer.' };
  }
}

function faultOfStatus({ status }: NetworkAnswer): PullFault | undefined {
  if (status === OK) return undefined;
  if (status === TOO_MANY) return { kind: 'unreachable', message: THROTTLED };
  if (status >= SERVER_FAULTS) return { kind: 'unreachable', message: `The network answered ${status}.` };
  if (status === 401 || status === 403) {
    return { kind: 'refused', message: `The network refused the credentials (${status}).` };
  }
  return { kind: 'refused', message: `The network refused the request (${status}).` };
}
