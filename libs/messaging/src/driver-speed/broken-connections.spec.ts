import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { originalDriver } from '../testing/original-driver.js';
import { begunAfresh, type Connection } from './broken-connections.js';
import { idleWithoutRequests, type RequestQueueClass } from './request-queue.js';

interface DriverConnection extends Connection {
  send(asked: object): Promise<string>;
}
type DriverConnectionClass = new (options: object) => DriverConnection;

const [ConnectionOfDriver, Encoder] = originalDriver((require) => {
  idleWithoutRequests(require('kafkajs/src/network/requestQueue/index.js') as RequestQueueClass);
  return [
    require('kafkajs/src/network/connection.js') as DriverConnectionClass,
    require('kafkajs/src/protocol/encoder.js') as new () => object,
  ];
});

const REQUEST_TIMEOUT_MS = 10_000;
const log = { debug: () => undefined, error: () => undefined, warn: () => undefined };
let broker: Server;
let connection: DriverConnection;
/** What the broker does with the first request of each of its connections, by their order. */
let answers: ((peer: Socket) => void)[];

beforeEach(async () => {
  answers = [];
  broker = createServer((peer) =>
    peer.on('error', () => undefined).once('data', () => answers.shift()?.(peer)),
  );
  broker.listen(0, '127.0.0.1');
  await once(broker, 'listening');
  const { port } = broker.address() as AddressInfo;
  connection = new (begunAfresh(class extends ConnectionOfDriver {}))({
    host: '127.0.0.1',
    port,
    logger: { ...log, namespace: () => log },
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: REQUEST_TIMEOUT_MS,
    socketFactory: ({ onConnect }: { readonly onConnect: () => void }) =>
      connect(port, '127.0.0.1', onConnect),
  });
});

afterEach(async () => {
  jest.useRealTimers();
  await connection.disconnect();
  connection.socket?.destroy();
  broker.close();
});

/** An answer to the request of that number. */
function answerOf(correlationId: number, content: string): Buffer {
  const head = Buffer.alloc(8);
  head.writeInt32BE(4 + content.length);
  head.writeInt32BE(correlationId, 4);
  return Buffer.concat([head, Buffer.from(content)]);
}

async function ask(): Promise<string> {
  await connection.connect();
  return connection.send({
    request: {
      apiKey: 18,
      apiVersion: 0,
      apiName: 'ApiVersions',
      encode: () => Promise.resolve(new Encoder()),
    },
    response: {
      decode: (bytes: Buffer) => Promise.resolve(bytes),
      parse: (bytes: Buffer) => bytes.toString(),
    },
  });
}

it('a connection that breaks in the middle of an answer understands the answers after it', async () => {
  answers.push(
    (peer) =>
      peer.write(answerOf(0, 'never whole').subarray(0, 12), () =>
        setTimeout(() => peer.resetAndDestroy(), 50),
      ),
    (peer) => peer.write(answerOf(1, 'whole')),
  );
  await expect(ask()).rejects.toThrow('ECONNRESET');
  expect(await ask()).toBe('whole');
});

it.each([
  ['an answer of no bytes', Buffer.alloc(4)],
  ['an answer of less than none', Buffer.alloc(4, 0xff)],
  ['an answer that is too short for the number of its request', Buffer.from([0, 0, 0, 2, 0, 0])],
])('%s closes its connection alone, and the next request opens another', async (_what, bytes) => {
  answers.push(
    (peer) => peer.write(bytes),
    (peer) => peer.write(answerOf(1, 'whole')),
  );
  await expect(ask()).rejects.toThrow('The broker sent what is no answer');
  expect(await ask()).toBe('whole');
});

it('a connection on which a request has no answer in its time is closed, and the next request opens another', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  const { promise: asked, resolve } = Promise.withResolvers<undefined>();
  answers.push(
    () => resolve(undefined),
    (peer) => peer.write(answerOf(1, 'from another')),
  );
  const unanswered = expect(ask()).rejects.toThrow('timed out');
  await asked;
  jest.advanceTimersByTime(2 * REQUEST_TIMEOUT_MS);
  await unanswered;
  expect(connection.isConnected()).toBe(false);
  expect(await ask()).toBe('from another');
});

it('an answer that came while the process was stopped is taken, although its time is over', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  const { promise: answered, resolve } = Promise.withResolvers<undefined>();
  answers.push((peer) => {
    peer.write(answerOf(0, 'in time'));
    resolve(undefined);
  });
  const asking = ask();
  await answered;
  // Behind this turn the answer is there, but not read: timers come first, as in a process that goes on after a stop.
  await nextTurn();
  jest.advanceTimersByTime(2 * REQUEST_TIMEOUT_MS);
  expect(await asking).toBe('in time');
  expect(connection.isConnected()).toBe(true);
});
