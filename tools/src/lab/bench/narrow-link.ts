import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const MS_PER_SECOND = 1_000;

/** A proxy to a server on loopback that bounds the throughput of clients, over all connections together. */
export interface NarrowLink {
  readonly port: number;
  close(): Promise<void>;
}

export async function openNarrowLink(port: number, bytesPerSecond: number): Promise<NarrowLink> {
  const sockets = new Set<Socket>();
  // The time when the bytes sent so far have passed; all connections share it.
  let freeAtMs = 0;
  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port });
    client.on('data', (bytes) => {
      const now = performance.now();
      freeAtMs = Math.max(freeAtMs, now) + (bytes.length / bytesPerSecond) * MS_PER_SECOND;
      client.pause();
      void delay(freeAtMs - now).then(() => {
        if (upstream.writable) upstream.write(bytes);
        client.resume();
      });
    });
    upstream.pipe(client);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      for (const socket of sockets) socket.destroy();
      server.close();
      await closed;
    },
  };
}
