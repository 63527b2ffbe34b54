import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { beforeEach, expect, it } from '@jest/globals';
import { ProducerConnection } from './producer-connection.js';

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
let broker: Server;

beforeEach(async () => {
  broker = createServer().listen(0, '127.0.0.1');
  await once(broker, 'listening');
});

/** The next connection, on which nothing is answered. */
async function connected(): Promise<Socket> {
  const [peer] = (await once(broker, 'connection')) as [Socket];
  return peer.on('error', () => undefined).resume();
}

it('a producer that replaced one stays the current one when the former fails to connect', async () => {
  const { port } = broker.address() as AddressInfo;
  const connection = new ProducerConnection({
    brokers: [`127.0.0.1:${port}`],
    clientId: 'test',
    log,
    security: {},
  });
  const former = connection.connect().catch((error: unknown) => error);
  const ofFormer = await connected();
  const replaced = connection.replace(connection.generation);
  const current = connection.connect().catch((error: unknown) => error);
  const ofCurrent = await connected();
  // The driver tries again, and is refused at once.
  broker.close();
  ofFormer.destroy();
  await Promise.all([former, replaced]);
  const again = connection.connect().catch((error: unknown) => error);
  ofCurrent.destroy();
  // Both waited for the same producer.
  expect(await again).toBe(await current);
  expect(await current).toBeInstanceOf(Error);
});
