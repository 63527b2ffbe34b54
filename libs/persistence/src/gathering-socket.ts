import { Socket } from 'node:net';

/**
 * What is written to it in one turn of the event loop leaves together: to hand a packet over costs many times what it
 * costs to put one more statement into it.
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
