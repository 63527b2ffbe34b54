import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createEdgeServer, drain } from './server.js';

const LONG_MS = 3_600_000;
const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
/** More than the system takes of an answer that nobody reads. */
const LARGE = 'x'.repeat(4 * 1024 * 1024);

describe('answers at a stop', () => {
  let folder: string;
  let server: Server;
  let socket: Socket;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'truetally-stop-'));
    server = createEdgeServer();
    server.on('request', ({ url }, response) => void response.end(url === '/large' ? LARGE : 'small'));
    // What is written to a socket of the file system has arrived at once.
    const path = join(folder, 'socket');
    await new Promise<void>((resolve) => void server.listen(path, resolve));
    socket = connect(path);
    socket.write(request('/small'));
    await once(socket, 'data');
    socket.pause();
  });

  afterEach(() => {
    socket.destroy();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });

  /** @returns the bodies that arrive until the connection is closed */
  async function bodies(): Promise<readonly string[]> {
    const text = Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1');
    return text.split(/HTTP[^]*?\r\n\r\n/).slice(1);
  }

  it('a request that has arrived at a stop and is not read yet is answered, and its connection closed', async () => {
    socket.write(request('/small'));
    const drained = drain(server, LONG_MS);
    expect(await bodies()).toEqual(['small']);
    await drained;
  });

  it('an answer that its client has not taken at a stop arrives whole, and its connection is closed', async () => {
    socket.write(request('/large'));
    await once(server, 'request');
    const drained = drain(server, LONG_MS);
    expect((await bodies()).map(({ length }) => length)).toEqual([LARGE.length]);
    await drained;
  });

  it('two answers that their client has not taken at a stop arrive whole, and their connection is closed', async () => {
    socket.write(request('/large') + request('/small'));
    await once(server, 'request');
    const drained = drain(server, LONG_MS);
    expect((await bodies()).map(({ length }) => length)).toEqual([LARGE.length, 'small'.length]);
    await drained;
  });
});
