import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createPool, inTransaction, isTransient, migrate } from './index.js';

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

/** @param connected what it does with each connection */
async function postgresThat(connected: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    connected(socket);
    socket.on('error', () => undefined);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `postgres://user:word@127.0.0.1:${(server.address() as AddressInfo).port}/db`;
}

describe('a connection that Postgres ends in the packet that reports readiness', () => {
  it('a connection that Postgres ends as it becomes ready fails its transaction, and never the process', async () => {
    const url = await postgresThat((socket) => {
      socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, TERMINATED])));
    });
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

const ONE_ROW = Buffer.concat([message('T', Buffer.from([0, 0])), message('D', Buffer.from([0, 0]))]);
const DONE = Buffer.concat([message('C', Buffer.from('SELECT 1\0')), READY]);

describe('a server that sends what is no answer', () => {
  it.each([
    ['a row that ends before its fields', message('D', Buffer.from([0, 9, 0, 0]))],
    ['a row without a number of fields', message('D', Buffer.alloc(0))],
    ['columns that end before their number', message('T', Buffer.from([0, 9, 0, 0]))],
    ['a way to sign in that nobody knows', message('R', Buffer.from([0, 0, 0, 99]))],
  ])('%s costs its connection alone, and the next statement opens another', async (_what, nonsense) => {
    const answers = [nonsense, Buffer.concat([ONE_ROW, DONE])];
    const url = await postgresThat((socket) => {
      socket.once('data', () => {
        socket.write(Buffer.concat([AUTHENTICATED, READY]));
        socket.once('data', () => socket.write(answers.shift() ?? TERMINATED));
      });
    });
    const pool = createPool({ url, schema: 'x', applicationName: 'test', max: 1 });
    const error: unknown = await pool.query('select').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: expect.stringMatching(/^Postgres sent what is no answer/) });
    expect(isTransient(error)).toBe(true);
    expect((await pool.query('select')).rows).toHaveLength(1);
    await pool.end();
  });

  it('a migration fails by what is no answer, and does not end its process', async () => {
    const url = await postgresThat((socket) => {
      socket.once('data', () => {
        socket.write(Buffer.concat([AUTHENTICATED, READY]));
        socket.once('data', () => socket.write(message('D', Buffer.from([0, 9, 0, 0]))));
      });
    });
    const migrating = migrate({ url, schema: 'x', role: 'x', rolePassword: 'x', migrations: [] });
    await expect(migrating).rejects.toThrow('Postgres sent what is no answer');
  });
});
