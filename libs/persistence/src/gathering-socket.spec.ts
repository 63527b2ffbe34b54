import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatheringSocket } from './gathering-socket.js';

describe('a gathering socket', () => {
  let server: Server;
  let client: GatheringSocket;
  let peer: Socket;
  const received: string[] = [];

  beforeAll(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = new GatheringSocket();
    const accepted = once(server, 'connection');
    client.setNoDelay(true).connect((server.address() as AddressInfo).port, '127.0.0.1');
    [peer] = (await accepted) as [Socket];
    peer.on('data', (data) => received.push(data.toString()));
    await once(client, 'connect');
  });

  afterAll(() => {
    client.destroy();
    peer.destroy();
    server.close();
  });

  async function next(): Promise<string | undefined> {
    await once(peer, 'data');
    return received.splice(0).join('|');
  }

  it('sends the writes of one turn in one packet, in order, corked or not', async () => {
    client.write('begin;');
    client.cork();
    client.write(Buffer.from('lock;'));
    client.uncork();
    client.write('find;', 'utf8', () => received.push('told'));
    await expect(next()).resolves.toMatch(/^(told\|)?begin;lock;find;$/);
  });

  it('sends the writes of the next turn separately', async () => {
    client.write('insert;');
    await expect(next()).resolves.toMatch(/insert;$/);
    client.write('commit;');
    await expect(next()).resolves.toBe('commit;');
  });

  it('sends everything before it ends', async () => {
    client.write('a');
    client.end('b');
    await expect(next()).resolves.toBe('ab');
    await once(peer, 'end');
  });
});
