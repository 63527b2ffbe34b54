import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { socketFactory } from './security.js';

it('a closed connection gets no listener however often the driver ends it', async () => {
  const broker = createServer((peer) => peer.resume()).listen(0, '127.0.0.1');
  await once(broker, 'listening');
  const { port } = broker.address() as AddressInfo;
  const connected = Promise.withResolvers<null>();
  const socket = socketFactory(undefined)({
    host: '127.0.0.1',
    port,
    ssl: {},
    onConnect: () => {
      connected.resolve(null);
    },
  });
  await connected.promise;
  socket.destroy();
  await once(socket, 'close');
  for (let ends = 0; ends < 20; ends++) {
    socket.end();
    socket.unref();
  }
  expect(socket.listenerCount('connect')).toBe(0);
  broker.close();
});
