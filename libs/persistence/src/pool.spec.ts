import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createPool, inTransaction, isTransient } from './index.js';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A message of the Postgres protocol: a type, a length that includes itself, a body. */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const AUTHENTICATED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const TERMINATED = message(
  'E',
  Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0'),
);

async function postgresThatDiesWhenItIsReady(): Promise<string> {
  const server = createServer((socket) => {
    socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, TERMINATED])));
    socket.on('error', () => undefined);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `postgres://user:word@127.0.0.1:${(server.address() as AddressInfo).port}/db`;
}

describe('a connection that Postgres ends in the packet that reports readiness', () => {
  it('a connection that Postgres ends as it becomes ready fails its transaction, and never the process', async () => {
    const url = await postgresThatDiesWhenItIsReady();
    const pool = createPool({ url, schema: 'x', applicationName: 'test', max: 1 });
    for (let attempt = 0; attempt < 3; attempt++) {
      const error: unknown = await inTransaction(pool, () => Promise.resolve()).catch(
        (reason: unknown) => reason,
      );
      expect(isTransient(error)).toBe(true);
    }
    await pool.end();
  });
});
