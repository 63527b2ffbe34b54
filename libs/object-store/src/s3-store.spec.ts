import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type S3Server, startS3Server } from '@truetally/testing';
import { OPEN_OBJECTS_LIMIT, StoreUnavailableError } from './index.js';
import { type S3Options, S3Store } from './s3-store.js';
import { type StallingProxy, startStallingProxy } from './testing/stalling-proxy.js';

const KEY = 'whole/x';
/** More than the headers, and less than the body. */
const SOME_ANSWER_BYTES = 4_096;
const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const CONTENT = Buffer.alloc(65_536, 'x');
/** The server runs in this process, and has many to answer at once. */
const PATIENT = { answerTimeoutMs: 240_000, silenceTimeoutMs: 240_000 };

describe('a store on S3', () => {
  let server: S3Server;
  let proxy: StallingProxy;
  const stores: S3Store[] = [];

  beforeAll(async () => {
    server = await startS3Server();
    await put(open(), CONTENT);
    await close();
  });

  afterAll(() => server.stop());

  beforeEach(async () => {
    proxy = await startStallingProxy(server.endpoint);
  });

  afterEach(async () => {
    await close();
    await proxy.stop();
  });

  function open(options: Partial<S3Options> = {}): S3Store {
    const { bucket, region, endpoint, accessKeyId, secretAccessKey } = server;
    const credentials = { accessKeyId, secretAccessKey };
    const store = new S3Store({ bucket, region, endpoint, credentials, isPathStyle: true, ...options });
    stores.push(store);
    return store;
  }

  async function close(): Promise<void> {
    for (const store of stores.splice(0)) await store.close();
  }

  async function put(store: S3Store, content: Uint8Array, key = KEY): Promise<void> {
    const draft = await store.draft();
    writeFileSync(draft.path, content);
    await draft.publish(key).finally(() => draft.discard());
  }

  it('a store on S3 that does not answer is unavailable, and not waited for', async () => {
    proxy.answerBytes = 0;
    const store = open({ endpoint: proxy.endpoint, answerTimeoutMs: 100, silenceTimeoutMs: 100 });
    const asked = [
      store.describe(KEY),
      store.open(KEY),
      store.delete('whole/none'),
      // The server keeps what it has of a request that is cut off: under a key that no other test reads.
      put(store, CONTENT, 'whole/cut-off'),
    ];
    const unavailable = { status: 'rejected', reason: expect.any(StoreUnavailableError) };
    expect(await Promise.allSettled(asked)).toEqual(asked.map(() => unavailable));
  });

  it('a store on S3 that takes a connection for another protocol is unavailable, and not waited for', async () => {
    const switching = createServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.end(SWITCHING)),
    ).listen(0, '127.0.0.1');
    await once(switching, 'listening');
    const { port } = switching.address() as AddressInfo;
    const store = open({ endpoint: `http://127.0.0.1:${port}`, answerTimeoutMs: 100 });
    await expect(put(store, Buffer.alloc(1))).rejects.toThrow(StoreUnavailableError);
    switching.close();
  });

  it('a store on S3 that answers for a part of an object with all of it is unavailable', async () => {
    const whole = createServer((socket) =>
      socket
        .on('error', () => undefined)
        .once('data', () =>
          socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${CONTENT.length}\r\n\r\n${CONTENT}`),
        ),
    ).listen(0, '127.0.0.1');
    await once(whole, 'listening');
    const { port } = whole.address() as AddressInfo;
    const store = open({ endpoint: `http://127.0.0.1:${port}` });
    expect((await store.open(KEY))?.bytes).toBe(CONTENT.length);
    await expect(store.open(KEY, 5)).rejects.toThrow(StoreUnavailableError);
    whole.close();
  });

  it('a store on S3 that falls silent in the middle of an object ends its body with an error', async () => {
    proxy.answerBytes = SOME_ANSWER_BYTES;
    const opened = await open({ endpoint: proxy.endpoint, silenceTimeoutMs: 2_000 }).open(KEY);
    expect(opened?.bytes).toBe(CONTENT.length);
    await expect(buffer(opened?.body as Readable)).rejects.toThrow(/timed out/);
  });

  it('a store on S3 has connections left when as many objects are open as may be', async () => {
    proxy.answerBytes = SOME_ANSWER_BYTES;
    const store = open({ endpoint: proxy.endpoint, ...PATIENT });
    const opened = await Promise.all(Array.from({ length: OPEN_OBJECTS_LIMIT }, () => store.open(KEY)));
    expect(await store.describe(KEY)).toMatchObject({ bytes: CONTENT.length });
    await put(store, CONTENT);
    for (const each of opened) each?.body.on('error', () => undefined).destroy();
  });

  it('refuses a draft that cannot be read, and the process goes on', async () => {
    const store = open();
    const draft = await store.draft();
    // It can be opened, but not read, like a file on a broken disk.
    rmSync(draft.path);
    mkdirSync(draft.path);
    await expect(draft.publish('whole/unread')).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      cause: { code: 'EISDIR' },
    });
    expect(existsSync(draft.path)).toBe(true);
    rmdirSync(draft.path);
    expect(await store.describe('whole/unread')).toBeUndefined();
    expect(await store.describe(KEY)).toMatchObject({ bytes: CONTENT.length });
  });
});
