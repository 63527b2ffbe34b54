import type { IncomingMessage } from 'node:http';
import type { ReachableAddresses } from '@truetally/contracts/validation';
import { fail, type Result, succeed } from '@truetally/kernel';
import { requestWithin, retryAfterMsOf, UnreachableAddressError } from '@truetally/platform';
import type { NetworkRequest } from '../connectors/network-connector.js';

/** An answer's status, and what was read of its body; only that of a success is read. */
export interface NetworkAnswer<T> {
  readonly status: number;
  readonly body: T | undefined;
  /** From `Retry-After`; null without one. */
  readonly retryAfterMs: number | null;
}

/** Why a call got no answer. */
export type CallFault = 'private-address' | 'unreachable';

const OK = 200;

/**
 * Calls a network: within its timeout, never to a private address, and never following a redirect, which would
 * send the token elsewhere.
 */
export class NetworkClient {
  constructor(private readonly reachable: ReachableAddresses) {}

  /**
   * Rejects only with the cause of a `ReadError`: every other error is the connection's, and a fault.
   * @param timeoutMs for the whole answer
   * @param read gets the body as it arrives, which waits for it; it may end before the body does
   */
  async call<T>(
    baseUrl: string,
    { path, method, headers, body }: NetworkRequest,
    timeoutMs: number,
    read: (body: AsyncIterable<Buffer>) => Promise<T>,
  ): Promise<Result<NetworkAnswer<T>, CallFault>> {
    try {
      const url = new URL(baseUrl.replace(/\/+$/, '') + path);
      const signal = AbortSignal.timeout(timeoutMs);
      const asked = { method, headers, body, signal, agent: false as const };
      return await answerOf(await requestWithin(this.reachable, url, asked), read);
    } catch (error) {
      if (error instanceof ReadError) throw error.cause;
      return fail(error instanceof UnreachableAddressError ? 'private-address' : 'unreachable');
    }
  }
}

/** An error of the reader, which is not the network's fault. */
export class ReadError extends Error {
  override readonly name = 'ReadError';
}

async function answerOf<T>(
  response: IncomingMessage,
  read: (body: AsyncIterable<Buffer>) => Promise<T>,
): Promise<Result<NetworkAnswer<T>, CallFault>> {
  try {
    const status = response.statusCode ?? 0;
    const retryAfterMs = retryAfterMsOf(response);
    const body = status === OK ? await read(response) : undefined;
    return succeed({ status, body, retryAfterMs });
  } finally {
    // Whatever is left of it is not read.
    response.destroy();
  }
}
