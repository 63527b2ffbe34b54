import { hash, timingSafeEqual } from 'node:crypto';
import { AddressSlots, type ClientAddresses } from '../http/shares.js';
import type { RequestHead } from '../http/message.js';

export interface AdminSecretParts {
  readonly secret: string;
  readonly addresses: ClientAddresses;
  readonly monotonicMs: () => number;
  /** Called for the first wrong secret, and then once a minute for those that came: with the last one's address, and their number. */
  readonly onWrong: (address: string, attempts: number) => void;
}

export type AdminFault = 'credential-missing' | 'credential-invalid';

const BEARER = /^Bearer +(.+)$/i;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
/** After this time without a wrong secret, an address starts over. */
const FORGOTTEN_MS = 600_000;
const MAX_ADDRESSES = 1_000;
/** Whoever tries secrets as fast as they can fills no log. */
const TOLD_EVERY_MS = 60_000;
/** Delayed answers at a time, in all and of one address; a further one is not delayed. */
const MAX_WAITING = { inAll: 256, ofAddress: 8 };

/**
 * The secret of the platform's operators (interface page, section 11). Wrong secrets are logged, and answered
 * with a delay.
 */
export class AdminSecret {
  private readonly digest: Buffer;
  private readonly wrong = new Map<string, { readonly count: number; readonly atMs: number }>();
  private telling: NodeJS.Timeout | undefined;
  /** Those that no call has told of. */
  private untold = { address: '', attempts: 0 };
  private readonly waiting = new AddressSlots(MAX_WAITING.inAll, MAX_WAITING.ofAddress);

  constructor(private readonly parts: AdminSecretParts) {
    this.digest = digestOf(parts.secret);
  }

  /** Why a request lacks it, or undefined. */
  check(request: RequestHead): AdminFault | undefined | Promise<AdminFault> {
    const secret = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (secret === undefined) return 'credential-missing';
    // Always: whoever knows it cannot be locked out by those who do not. Compares digests, so that timing does not
    // reveal the secret's length either.
    if (timingSafeEqual(digestOf(secret), this.digest)) return undefined;
    const address = this.parts.addresses.of(request);
    const waitMs = this.note(address);
    return this.waiting.take(address) ? this.late(address, waitMs) : 'credential-invalid';
  }

  /** @returns the delay of this address' answer, which doubles with each wrong secret */
  private note(address: string): number {
    const nowMs = this.parts.monotonicMs();
    const known = this.wrong.get(address);
    const count = known !== undefined && nowMs - known.atMs < FORGOTTEN_MS ? known.count + 1 : 1;
    if (this.wrong.size >= MAX_ADDRESSES && known === undefined) this.wrong.clear();
    this.wrong.set(address, { count, atMs: nowMs });
    this.untold = { address, attempts: this.untold.attempts + 1 };
    if (this.telling === undefined) this.tell();
    return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(count - 1, 10));
  }

  private tell(): void {
    const { address, attempts } = this.untold;
    this.telling = undefined;
    if (attempts === 0) return;
    this.untold = { address, attempts: 0 };
    this.parts.onWrong(address, attempts);
    this.telling = setTimeout(() => {
      this.tell();
    }, TOLD_EVERY_MS).unref();
  }

  private async late(address: string, waitMs: number): Promise<AdminFault> {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    this.waiting.giveBack(address);
    return 'credential-invalid';
  }
}

function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
