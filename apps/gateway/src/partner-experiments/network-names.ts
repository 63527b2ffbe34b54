import { createHmac } from 'node:crypto';
import type { RequestHead } from '../http/message.js';

const HEX_DIGITS = 32;

/**
 * Names of visitors' networks for one site: the same while the key is, and nobody without it finds the address, or knows a visitor of
 * another site again.
 */
export class NetworkNames {
  /** @param addressOf the client address of a request: an IPv6 client's is its /64 */
  constructor(
    private readonly key: Uint8Array,
    private readonly addressOf: (request: RequestHead) => string,
  ) {}

  of(request: RequestHead, siteId: string): string {
    const name = `network ${siteId} ${this.addressOf(request)}`;
    return createHmac('sha256', this.key).update(name).digest('hex').slice(0, HEX_DIGITS);
  }
}
