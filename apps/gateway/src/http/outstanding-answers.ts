import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientAddresses } from './client-address.js';

export interface OutstandingLimits {
  /** Maximum size of one answer, the only one that a connection can have outstanding. */
  readonly perConnectionBytes: number;
  readonly perAddressBytes: number;
  readonly inAllBytes: number;
  /** A reader without progress for this time is considered disconnected. */
  readonly silenceMs: number;
  /** Slower readers would keep their answers in memory for hours. */
  readonly slowestBytesPerSecond: number;
}

const MEBIBYTE = 1024 * 1024;
const OUTSTANDING_LIMITS: OutstandingLimits = {
  perConnectionBytes: 16 * MEBIBYTE,
  perAddressBytes: 32 * MEBIBYTE,
  inAllBytes: 128 * MEBIBYTE,
  silenceMs: 20_000,
  slowestBytesPerSecond: 64 * 1024,
};
/** The size that the system's socket buffer takes at once from nearly every answer. */
const SMALL_BYTES = 64 * 1024;

/** Bounds the memory of answers that their readers have not taken yet: per answer, in total, and in time. */
export class OutstandingAnswers {
  private heldBytes = 0;
  private readonly shares = new Map<string, number>();

  constructor(
    private readonly addresses: ClientAddresses,
    private readonly limits: OutstandingLimits = OUTSTANDING_LIMITS,
  ) {}

  get bytes(): number {
    return this.heldBytes;
  }

  /** Whether an answer may be written: small ones while there is room in total. */
  admits(request: IncomingMessage, bytes: number): boolean {
    const { perConnectionBytes, perAddressBytes, inAllBytes } = this.limits;
    if (bytes <= SMALL_BYTES) return this.heldBytes <= inAllBytes;
    if (bytes > perConnectionBytes || this.heldBytes + bytes > inAllBytes) return false;
    const share = this.shares.size === 0 ? 0 : (this.shares.get(this.addresses.of(request)) ?? 0);
    return share + bytes <= perAddressBytes;
  }

  /** Call it when an answer is written. Costs nothing if the system has taken all of it. */
  watch(request: IncomingMessage, response: ServerResponse): void {
    const bytes = response.socket?.writableLength ?? 0;
    if (bytes === 0) return;
    const { silenceMs, slowestBytesPerSecond } = this.limits;
    const address = this.addresses.of(request);
    this.hold(address, bytes);
    const deadlineMs = silenceMs + (bytes / slowestBytesPerSecond) * 1_000;
    const timer = setTimeout(() => response.destroy(), deadlineMs);
    response.setTimeout(silenceMs, () => response.destroy());
    response.once('close', () => {
      clearTimeout(timer);
      this.hold(address, -bytes);
    });
  }

  private hold(address: string, bytes: number): void {
    this.heldBytes += bytes;
    const share = (this.shares.get(address) ?? 0) + bytes;
    if (share > 0) this.shares.set(address, share);
    else this.shares.delete(address);
  }
}
