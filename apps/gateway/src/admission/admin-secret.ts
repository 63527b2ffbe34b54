import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const BEARER = /^Bearer +(.+)$/i;

/** The secret of the platform's operators (interface page, section 11). */
export class AdminSecret {
  private readonly digest: Buffer;

  constructor(secret: string) {
    this.digest = digestOf(secret);
  }

  /** Why a request does not bring it, or undefined. */
  check({ headers }: IncomingMessage): 'credential-missing' | 'credential-invalid' | undefined {
    const secret = BEARER.exec(headers.authorization ?? '')?.[1];
    if (secret === undefined) return 'credential-missing';
    // Of digests, so that the time taken says nothing about the secret's length either.
    return timingSafeEqual(digestOf(secret), this.digest) ? undefined : 'credential-invalid';
  }
}

function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
