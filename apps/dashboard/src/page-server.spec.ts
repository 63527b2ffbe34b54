import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createPageServer, drain } from './page-server.js';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
/** One that is answered, and those that may wait behind it. */
const AT_ONCE = 5;
const MOST_CONNECTIONS = 3;
/** More than the system takes of an answer that nobody reads. */
const LARGE = 'x'.repeat(32 * 1024 * 1024);
const LONG_MS = 3_600_000;

let server: Server;
let client: Socket;
const asked: ServerResponse[] = [];

beforeEach(async () => {
  asked.length = 0;
  server = createPageServer((_request, response) => void asked.push(response), MOST_CONNECTIONS);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = open();
});

const open = (): Socket => connect((server.address() as AddressInfo).port, '127.0.0.1');

afterEach(() => {
  client.destroy();
  server.closeAllConnections();
  server.close();
});

it('requests that a client sends ahead of its answers are answered in their order, up to a bound', async () => {
  let text = '';
  client.setEncoding('latin1').on('data', (piece: string) => (text += piece));
  client.write(REQUEST.repeat(AT_ONCE));
  await eventually(() => asked.length === AT_ONCE);
  asked.forEach((response, index) => response.end(`(${index})`));
  await eventually(() => text.includes('(4)'));
  expect(text.match(/\(\d\)/g)).toEqual(['(0)', '(1)', '(2)', '(3)', '(4)']);
  client.write(REQUEST.repeat(AT_ONCE));
  await eventually(() => asked.length === 2 * AT_ONCE);
});

it('a client that sends requests and reads no answers loses its connection before they fill the memory', async () => {
  const closed = once(client.resume(), 'close');
  client.write(REQUEST.repeat(1_000));
  await closed;
  expect(asked).toHaveLength(AT_ONCE);
});

it('connections that send no request, or read no answer, leave room for whoever comes next', async () => {
  const reader = open();
  reader.write(REQUEST);
  await eventually(() => asked.length === 1);
  const sender = open();
  sender.write('GET / HTTP/1.1\r\n');
  const ended = [client, reader, sender].map((one) => once(one.resume(), 'close'));
  const next = Array.from({ length: MOST_CONNECTIONS }, open);
  for (const one of next) one.write(REQUEST);
  await Promise.all(ended);
  await eventually(() => asked.length === 1 + MOST_CONNECTIONS);
  for (const one of next) one.destroy();
});

it('an answer that its client has not taken at a stop arrives whole, and its connection is closed', async () => {
  client.pause().write(REQUEST);
  await eventually(() => asked.length === 1);
  asked[0]?.end(LARGE);
  const drained = drain(server, LONG_MS);
  const received = Buffer.concat((await client.toArray()) as Buffer[]);
  expect(received.length - received.indexOf('\r\n\r\n') - 4).toBe(LARGE.length);
  await drained;
});
