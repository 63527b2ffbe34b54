import type { Socket } from 'node:net';
import { holderOf } from './client-network.js';

/**
 * The open connections of a server, by who holds them. Whoever holds most of them gives one back when there are too many: the
 * one that was opened first of those that wait for no answer.
 */
export class Connections {
  private readonly all = new Set<Socket>();
  private readonly byHolder = new Map<string, Set<Socket>>();

  /** @param isAnswered whether an answer is under way on a connection, and it may stay for it */
  constructor(
    private readonly most: number,
    private readonly isAnswered: (socket: Socket) => boolean,
    private readonly holder: (socket: Socket) => string = holderOf,
  ) {}

  [Symbol.iterator](): Iterator<Socket> {
    return this.all.values();
  }

  add(socket: Socket): void {
    const holder = this.holder(socket);
    const share = this.byHolder.get(holder) ?? new Set();
    this.byHolder.set(holder, share.add(socket));
    this.all.add(socket);
    socket.once('close', () => this.forget(socket, holder));
    if (this.all.size > this.most) this.makeRoom();
  }

  private makeRoom(): void {
    let [largest, most]: readonly [string, ReadonlySet<Socket>] = ['', new Set()];
    for (const [holder, share] of this.byHolder)
      if (share.size > most.size) [largest, most] = [holder, share];
    for (const socket of most) {
      if (this.isAnswered(socket)) continue;
      // Its end is told later, and another may come before: that one takes another's place.
      this.forget(socket, largest);
      socket.destroy();
      return;
    }
  }

  private forget(socket: Socket, holder: string): void {
    this.all.delete(socket);
    const share = this.byHolder.get(holder);
    share?.delete(socket);
    if (share?.size === 0) this.byHolder.delete(holder);
  }
}
