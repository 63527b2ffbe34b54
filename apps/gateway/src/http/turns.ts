import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

export interface TurnLimits {
  /** Requests of one connection that wait for earlier ones; one more closes the connection. */
  readonly perConnection: number;
  readonly inAll: number;
}

const TURN_LIMITS: TurnLimits = { perConnection: 256, inAll: 20_000 };

/**
 * One request at a time per connection: a client may send many without reading an answer, and each answer
 * that is built early stays in memory. The next request starts when the previous answer is sent.
 */
export class Turns {
  private readonly waiting = new WeakMap<Socket, number>();
  private waitingInAll = 0;

  constructor(
    private readonly handle: Handle,
    private readonly limits: TurnLimits = TURN_LIMITS,
  ) {}

  /** Costs nothing for a connection that sends one request after the other. */
  readonly take: Handle = (request, response) => {
    // Node gives a response its socket when the previous one is sent.
    if (response.socket !== null) return this.handle(request, response);
    const { socket } = request;
    const ahead = this.waiting.get(socket) ?? 0;
    if (ahead >= this.limits.perConnection || this.waitingInAll >= this.limits.inAll) {
      socket.destroy();
      return;
    }
    if (ahead === 0) {
      socket.pause();
      socket.once('close', () => this.forget(socket));
    }
    this.count(socket, 1);
    response.once('socket', () => {
      this.count(socket, -1);
      if (this.waiting.get(socket) === 0) socket.resume();
      this.handle(request, response);
    });
  };

  private count(socket: Socket, change: 1 | -1): void {
    this.waiting.set(socket, (this.waiting.get(socket) ?? 0) + change);
    this.waitingInAll += change;
  }

  /** Requests of a closed connection are dropped. */
  private forget(socket: Socket): void {
    this.waitingInAll -= this.waiting.get(socket) ?? 0;
    this.waiting.delete(socket);
  }
}
