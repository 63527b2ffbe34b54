import { Socket } from 'node:net';

/**
 * Writes of one turn of the event loop are sent together: a system call per packet costs far more than
 * another statement in a packet.
 */
export class GatheringSocket extends Socket {
  private isGathering = false;

  override write(data: string | Uint8Array, ...rest: unknown[]): boolean {
    if (!this.isGathering) this.gather();
    return super.write(data, ...(rest as []));
  }

  private gather(): void {
    this.isGathering = true;
    this.cork();
    process.nextTick(() => {
      this.isGathering = false;
      this.uncork();
    });
  }
}
