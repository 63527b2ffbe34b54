import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy that passes on only the first bytes of each response. */
export interface StallingProxy {
  readonly endpoint: string;
  /** For connections opened from now on; nothing is closed after them. */
  answerBytes: number;
  stop(): Promise<void>;
}

export async function startStallingProxy(endpoint: string): Promise<StallingProxy> {
  const target = new URL(endpoint);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket)));
    return socket;
  };
  const server = createServer((client) => {
    let leftBytes = proxy.answerBytes;
    const upstream = keep(connect(Number(target.port), target.hostname));
    keep(client).pipe(upstream);
    upstream.on('data', (chunk) => {
      const passed = chunk.subarray(0, leftBytes);
      leftBytes -= passed.length;
      if (passed.length > 0) client.write(passed);
    });
    client.on('close', () => upstream.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy: StallingProxy = {
    endpoint: `http://127.0.0.1:${port}`,
    answerBytes: Infinity,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
  };
  return proxy;
}
