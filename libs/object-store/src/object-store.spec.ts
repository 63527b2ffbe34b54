import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { type S3Server, startS3Server } from '@truetally/testing';
import {
  type ObjectStore,
  type ObjectStoreOptions,
  openObjectStore,
  StoreUnavailableError,
} from './index.js';

/** The behaviour of every kind of store, on a real folder and on a real S3-compatible server. */
describe.each(['disk', 's3'] as const)('a store on %s', (kind) => {
  let server: S3Server;
  let directory: string;
  let options: ObjectStoreOptions;
  let store: ObjectStore;

  beforeAll(async () => {
    server = await startS3Server();
  });

  afterAll(() => server.stop());

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'truetally-store-'));
    const { bucket, region, endpoint, accessKeyId, secretAccessKey } = server;
    const credentials = { accessKeyId, secretAccessKey };
    options =
      kind === 'disk'
        ? { kind, directory: join(directory, 'not', 'there', 'yet') }
        : { kind, bucket, region, endpoint, credentials, isPathStyle: true };
    store = await openObjectStore(options);
  });

  afterEach(async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function put(key: string, bytes: Uint8Array): Promise<void> {
    const draft = await store.draft();
    writeFileSync(draft.path, bytes);
    await draft.publish(key);
  }

  async function read(key: string): Promise<Buffer | undefined> {
    const opened = await store.open(key);
    return opened === undefined ? undefined : buffer(opened.body);
  }

  /** As somebody else than a store does it. */
  async function leave(name: string): Promise<void> {
    if (options.kind === 'disk') return writeFileSync(join(options.directory, name), 'x');
    const { bucket, region, endpoint, accessKeyId, secretAccessKey } = server;
    const credentials = { accessKeyId, secretAccessKey };
    const client = new S3Client({ region, endpoint, credentials, forcePathStyle: true });
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: name, Body: 'x' }));
    client.destroy();
  }

  async function keysIn(folder: string): Promise<readonly string[]> {
    return (await collect(store.list(folder))).map(({ key }) => key).toSorted();
  }

  it.each([0, 1, 65_536, 11 * 1024 * 1024])('gives %d bytes back as they were put', async (length) => {
    const bytes = randomBytes(length);
    const key = `whole/${randomUUID()}`;
    await put(key, bytes);
    expect((await read(key))?.equals(bytes)).toBe(true);
    expect(await store.describe(key)).toMatchObject({ key, bytes: length });
    const storedAtMs = (await store.describe(key))?.storedAtMs ?? 0;
    expect(Math.abs(Date.now() - storedAtMs)).toBeLessThan(60_000);
  });

  it.each([1, 65_535, 65_536, 100_000])('gives the bytes from number %d on', async (from) => {
    const bytes = randomBytes(65_536);
    const key = `ranged/${randomUUID()}`;
    await put(key, bytes);
    const opened = await store.open(key, from);
    expect(opened).toMatchObject({ key, bytes: 65_536 });
    if (opened === undefined) throw new Error('It is there.');
    expect((await buffer(opened.body)).equals(bytes.subarray(from))).toBe(true);
    expect(await store.open('ranged/none', from)).toBeUndefined();
  });

  it('knows nothing of a key that nothing was put under', async () => {
    expect(await store.open('whole/none')).toBeUndefined();
    expect(await store.describe('whole/none')).toBeUndefined();
    expect(await keysIn(`none-${randomUUID()}`)).toEqual([]);
  });

  it('replaces an object as a whole', async () => {
    const key = `replaced/${randomUUID()}`;
    await put(key, Buffer.from('first, and longer'));
    await put(key, Buffer.from('second'));
    expect((await read(key))?.toString()).toBe('second');
  });

  it('deletes existing objects, and ignores missing ones', async () => {
    const key = `deleted/${randomUUID()}`;
    await put(key, Buffer.from('x'));
    await store.delete(key);
    await store.delete(key);
    expect(await read(key)).toBeUndefined();
    expect(await store.describe(key)).toBeUndefined();
  });

  it('lists a folder and nothing beside it', async () => {
    const folder = `listed-${randomUUID()}`;
    const keys = Array.from({ length: 5 }, (_, index) => `${folder}/${index}.png`);
    for (const key of [...keys, `${folder}-other/1`]) await put(key, Buffer.from(key));
    expect(await keysIn(folder)).toEqual(keys);
    expect(await collect(store.list(folder))).toEqual(
      expect.arrayContaining([{ key: keys[0], bytes: keys[0]?.length, storedAtMs: expect.any(Number) }]),
    );
  });

  it('a store lists no file of others: what a file system or a console leaves in its folders is no object', async () => {
    const folder = `shared-${randomUUID()}`;
    await put(`${folder}/1`, Buffer.from('x'));
    for (const name of ['.nfs0000000001', 'Thumbs.db']) await leave(`${folder}/${name}`);
    expect(await keysIn(folder)).toEqual([`${folder}/1`]);
  });

  it('shows nothing of a draft that was not published, and leaves nothing of one that was discarded', async () => {
    const draft = await store.draft();
    writeFileSync(draft.path, 'unfinished');
    const other = await openObjectStore(options);
    expect(await other.describe('drafted/x')).toBeUndefined();
    await draft.discard();
    await draft.discard();
    expect(existsSync(draft.path)).toBe(false);
    const published = await store.draft();
    await published.publish(`drafted/${randomUUID()}`);
    await published.discard();
    expect(existsSync(published.path)).toBe(false);
    await other.close();
  });

  it('removes drafts that were left behind, and no other', async () => {
    const [left, fresh] = [await store.draft(), await store.draft()];
    utimesSync(left.path, new Date(0), new Date(0));
    await store.removeDraftsBefore(Date.now() - 3_600_000);
    expect([existsSync(left.path), existsSync(fresh.path)]).toEqual([false, true]);
    await fresh.discard();
  });

  it.each([
    '',
    '/',
    '../x',
    'a/../b',
    'a//b',
    '.drafts/x',
    'a/B',
    'a b',
    'a/b/c/d/e',
    'a\0',
    'x'.repeat(129),
  ])('a store of objects has no key like %j: that is a bug of ours', async (key) => {
    await expect(async () => store.open(key)).rejects.toThrow(RangeError);
    const draft = await store.draft();
    await expect(draft.publish(key)).rejects.toThrow(RangeError);
    await draft.discard();
  });

  it('a store of objects is unavailable when it cannot be used, and keeps the draft', async () => {
    const broken = await openObjectStore(
      options.kind === 'disk'
        ? { kind: 'disk', directory: '/dev/null/no-folder' }
        : { ...options, bucket: 'no-such-bucket' },
    );
    if (options.kind === 'disk') {
      await expect(broken.draft()).rejects.toThrow(StoreUnavailableError);
      return;
    }
    await expect(broken.open('x/y')).rejects.toThrow(StoreUnavailableError);
    await expect(collect(broken.list('x'))).rejects.toThrow(StoreUnavailableError);
    const draft = await broken.draft();
    await expect(draft.publish('x/y')).rejects.toThrow(StoreUnavailableError);
    expect(existsSync(draft.path)).toBe(true);
    await draft.discard();
  });
});

describe('a store on disk', () => {
  let directory: string;
  let store: ObjectStore;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'truetally-store-'));
    store = await openObjectStore({ kind: 'disk', directory });
  });

  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  async function put(key: string, content: string | Uint8Array): Promise<void> {
    const draft = await store.draft();
    writeFileSync(draft.path, content);
    await draft.publish(key);
  }

  it('holds files of whole objects, and no temporary ones', async () => {
    await put('media/abc.png', 'content');
    const files = readdirSync(directory, { recursive: true });
    expect(files.toSorted()).toEqual(['.drafts', 'media', 'media/abc.png']);
  });

  it('gives each reader a whole object while it is replaced and deleted', async () => {
    const letters = ['a', 'b', 'c', 'd', 'e', 'f'];
    const bodies = letters.map((letter) => Buffer.alloc(300_000, letter));
    await put('raced/x', Buffer.alloc(300_000, 'a'));
    const read = async (): Promise<Buffer | undefined> => {
      const opened = await store.open('raced/x');
      return opened && buffer(opened.body);
    };
    const seen = await Promise.all([
      ...bodies.map((body) => put('raced/x', body).then(() => undefined)),
      ...letters.map(read),
      store.delete('raced/x').then(() => undefined),
      ...letters.map(read),
    ]);
    for (const body of seen) {
      expect(body === undefined || bodies.some((each) => each.equals(body))).toBe(true);
    }
  });
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
