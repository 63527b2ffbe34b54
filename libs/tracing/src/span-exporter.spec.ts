import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import { exporterTo } from './span-exporter.js';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const SWITCHES = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n';
const TAKES = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
/** More than the driver has under way at once. */
const EXPORTS = 31;

it('a collector that has answered exports with another protocol gets the next ones when it takes them', async () => {
  let answer = SWITCHES;
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.write(answer));
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const errors: string[] = [];
  const exporter = exporterTo({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers: {},
    onError: ({ message }) => errors.push(message),
    timeoutMs: 200,
  });
  const send = () =>
    new Promise<number>((resolve) => {
      exporter.export([], ({ code }) => {
        resolve(code);
      });
    });
  const lost = await Promise.all(Array.from({ length: EXPORTS }, send));
  expect(new Set(lost)).toEqual(new Set([1]));
  expect(errors).toHaveLength(EXPORTS);
  answer = TAKES;
  // One may be late on a busy machine.
  while ((await send()) !== 0) await nextTurn();
  await exporter.shutdown();
});
