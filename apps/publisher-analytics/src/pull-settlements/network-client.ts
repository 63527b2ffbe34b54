import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { ReachableAddresses } from '@truetally/contracts/validation';
import { fail, type Result, succeed } from '@truetally/kernel';
import type { NetworkRequest } from '../connectors/network-connector.js';
import { checkHost, lookupWithin, UnreachableAddressError } from './reachable-lookup.js';

export interface NetworkAnswer {
  readonly status: number;
  readonly text: string;
  /** From `Retry-After`; null without one. */
  readonly retryAfterMs: number | null;
}

/** Why a call got no answer. */
export type CallFault = 'private-address' | 'too-large' | 'unreachable';

/** A month of transactions of a large publisher. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MS_PER_SECOND = 1_000;

/**
 * Calls a network: within its timeout and size limit, never to a private address, and never following a
 * redirect, which would send the token elsewhere.
 */
export class NetworkClient {
  constructor(private readonly reachable: ReachableAddresses) {}

  /** Never rejects. @param timeoutMs for the whole answer */
  async call(
    baseUrl: string,
    asked: NetworkRequest,
    timeoutMs: number,
  ): Promise<Result<NetworkAnswer, CallFault>> {
    try {
      const url = new URL(baseUrl.replace(/\/+$/, '') + asked.path);
      checkHost(this.reachable, url);
      return await this.send(url, asked, timeoutMs);
    } catch (error) {
      return fail(error instanceof UnreachableAddressError ? 'private-address' : 'unreachable');
    }
  }

  private send(
    url: URL,
    asked: NetworkRequest,
    timeoutMs: number,
  ): Promise<Result<NetworkAnswer, CallFault>> {
    const { method, headers, body } = asked;
    const start = url.protocol === 'https:' ? secureRequest : plainRequest;
    return new Promise((resolve) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const options = {
        method,
        headers,
        lookup: lookupWithin(this.reachable),
        signal,
        agent: false as const,
      };
      const request = start(url, options, (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          chunks.push(chunk);
          if (bytes <= MAX_ANSWER_BYTES) return;
          resolve(fail('too-large'));
          request.destroy();
        });
        response.on('error', () => resolve(fail('unreachable')));
        response.on('close', () => resolve(fail('unreachable')));
        response.on('end', () => {
          // A truncated answer also ends, when its connection is cut.
          if (!response.complete) return resolve(fail('unreachable'));
          const text = Buffer.concat(chunks).toString('utf8');
          const retryAfterMs = waitOf(response.headers['retry-after']);
          resolve(succeed({ status: response.statusCode ?? 0, text, retryAfterMs }));
        });
      });
      request.on('error', (error) => {
        resolve(fail(error instanceof UnreachableAddressError ? 'private-address' : 'unreachable'));
      });
      request.end(body);
    });
  }
}

function waitOf(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * MS_PER_SECOND : null;
}
