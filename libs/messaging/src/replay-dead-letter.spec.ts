import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { type Messaging } from './messaging.js';
import { replayDeadLetter } from './replay-dead-letter.js';

const CORRELATION_ID_AT = 8;
const UNSUPPORTED_VERSION = 35;

/** That the broker speaks no version of the protocol that is asked for. */
function refuse(peer: Socket, request: Buffer): void {
  const answer = Buffer.alloc(18);
  answer.writeInt32BE(14);
  request.copy(answer, 4, CORRELATION_ID_AT, CORRELATION_ID_AT + 4);
  answer.writeInt16BE(UNSUPPORTED_VERSION, 8);
  peer.write(answer);
}

it('a replay that cannot connect leaves no connection', async () => {
  const peers: Socket[] = [];
  const broker = createServer((peer) => {
    peers.push(peer.on('data', (request: Buffer) => refuse(peer, request)));
  });
  broker.listen(0, '127.0.0.1');
  await once(broker, 'listening');
  const { port } = broker.address() as AddressInfo;
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  const driver = { brokers: [`127.0.0.1:${port}`], clientId: 'test', log, security: {} };
  const messaging = { driver, prefixed: (topic: string) => topic } as unknown as Messaging;
  const letter = { to: 'commands/create', key: null, value: null, headers: {} };
  try {
    await expect(replayDeadLetter(messaging, letter)).rejects.toThrow('API Versions not supported');
    await eventually(() => peers.every((peer) => peer.closed));
    expect(peers).not.toEqual([]);
  } finally {
    for (const peer of peers) peer.destroy();
    broker.close();
  }
});
