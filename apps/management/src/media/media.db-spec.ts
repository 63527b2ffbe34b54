import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredMedia } from '@truetally/contracts/management';
import type { CommandAnswer, ResourceCommand } from '@truetally/contracts/resource';
import { cursorBehind, type Reply } from '@truetally/kernel';
import { TransientError } from '@truetally/messaging';
import { type ObjectStore, openObjectStore } from '@truetally/object-store';
import { createLogger } from '@truetally/platform';
import { eventually, REPOSITORY_ROOT } from '@truetally/testing';
import { accepted, ManagementReplicas, OWNER } from '../testing/management-replicas.js';
import { explain } from '../testing/explain.js';
import { checkFileLater, lockFile } from '../storage/media-file-checks.js';
import { eraseMediaOfWorkspace, insertMedia, pageOfMedia } from '../storage/media.store.js';
import { createMedia } from './create-media.js';
import { deleteMedia } from './delete-media.js';
import { ImageProcess } from './image-process.js';
import { MediaFiles } from './media-files.js';
import { MediaSweeper } from './media-sweeper.js';
import { pictures } from '../testing/pictures.js';

const SCRIPT = join(REPOSITORY_ROOT, 'apps', 'management', 'dist', 'media', 'image-child.js');
const HOUR_MS = 3_600_000;

describe('pictures, their rows and their files', () => {
  let replicas: ManagementReplicas;
  let images: ImageProcess;
  let directory: string;
  let store: ObjectStore;
  let files: MediaFiles;
  let sweeper: MediaSweeper;
  let workspaceId: string;

  beforeAll(async () => {
    replicas = await ManagementReplicas.start();
    images = new ImageProcess({ script: SCRIPT, onCrash: () => undefined, timeoutMs: 600_000 });
  });

  afterAll(async () => {
    images.close();
    await replicas.stop();
  });

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'truetally-media-'));
    store = await openObjectStore({ kind: 'disk', directory });
    files = new MediaFiles(store, images, replicas.pool);
    sweeper = sweeperOf(store);
    workspaceId = (await replicas.makeWorkspace()).id;
    await replicas.owner.query('truncate media, media_file_checks');
  });

  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  function sweeperOf(of: ObjectStore): MediaSweeper {
    const log = createLogger({ service: 'management', instance: 'test', level: 'fatal' });
    return new MediaSweeper({ pool: replicas.pool, store: of, log, nowMs: Date.now });
  }

  function commandOf(rest: Partial<ResourceCommand>): ResourceCommand {
    const actor = { sub: OWNER, email: null, key_id: null, key_prefix: null };
    return {
      workspace_id: workspaceId,
      actor,
      params: {},
      version: null,
      idempotency: null,
      body: null,
      ...rest,
    };
  }

  async function put(key: string, content: string | Uint8Array): Promise<void> {
    const draft = await store.draft();
    writeFileSync(draft.path, content);
    await draft.publish(key);
  }

  /** As the gateway does. */
  async function upload(content?: Uint8Array): Promise<string> {
    const uploadId = randomUUID();
    await put(`incoming/${uploadId}`, content ?? (await pictures.png()));
    return uploadId;
  }

  function create(
    uploadId: string,
    correlationId: string = randomUUID(),
    by: MediaFiles = files,
    idempotency: ResourceCommand['idempotency'] = null,
  ): Promise<Reply<CommandAnswer<unknown>>> {
    const command = commandOf({ body: { upload_id: uploadId }, idempotency });
    return createMedia(command, by, (work) => replicas.next().command(command, correlationId, work));
  }

  async function created(): Promise<StoredMedia> {
    return accepted<CommandAnswer<StoredMedia>>(await create(await upload())).data;
  }

  const remove = ({ id }: StoredMedia): Promise<Reply<CommandAnswer<unknown>>> =>
    replicas.next().command(commandOf({ params: { media_id: id } }), randomUUID(), deleteMedia);

  const stored = (folder: string): readonly string[] => {
    const path = join(directory, folder);
    return readdirSync(directory).includes(folder) ? readdirSync(path) : [];
  };

  const hurryChecks = () =>
    replicas.owner.query(`update media_file_checks set check_at = now() - interval '1 second'`);

  it('a redelivered command creates one picture, also after its upload was deleted', async () => {
    const correlationId = randomUUID();
    const uploadId = await upload();
    const first = await create(uploadId, correlationId);
    await files.forget(uploadId);
    expect(await create(uploadId, correlationId)).toEqual(first);
    expect(await replicas.count('media')).toBe(1);
    expect(await replicas.count('audit_log', `resource = 'media' and workspace_id = '${workspaceId}'`)).toBe(
      1,
    );
  });

  it('an unknown upload is refused, and so is an invalid body', async () => {
    expect(await create(randomUUID())).toMatchObject({
      error: { details: { file: ['was not kept long enough to be looked at; it must be sent again'] } },
    });
    expect(await create('../../etc/passwd')).toMatchObject({
      error: { code: 'VALIDATION_ERROR', details: { upload_id: ['must be a UUID; got 16 characters'] } },
    });
  });

  it('a picture that cannot be written or copied now is tried again, and its command keeps no outcome', async () => {
    const [correlationId, uploadId] = [randomUUID(), randomUUID()];
    // A file that can be opened but not read to its end, as over a cut connection.
    const cut = join(directory, 'incoming', uploadId);
    mkdirSync(cut, { recursive: true });
    await expect(create(uploadId, correlationId)).rejects.toThrow(TransientError);
    rmdirSync(cut);
    await put(`incoming/${uploadId}`, await pictures.png());
    const script = join(directory, 'full.cjs');
    writeFileSync(
      script,
      `process.on('message', () => process.send({ failure: 'No space left on device' }))`,
    );
    const full = new ImageProcess({ script, onCrash: () => undefined });
    const withoutSpace = new MediaFiles(store, full, replicas.pool);
    await expect(create(uploadId, correlationId, withoutSpace)).rejects.toThrow(TransientError);
    full.close();
    expect(stored('.drafts')).toEqual([]);
    expect(accepted(await create(uploadId, correlationId))).toMatchObject({ replayed: false });
  });

  it('no transaction is open while a picture is decoded, so that Postgres ends none as silent', async () => {
    const [began, mayEnd, script] = ['began', 'may-end', 'slow.cjs'].map((name) => join(directory, name));
    writeFileSync(
      String(script),
      `const fs = require('node:fs');
       process.on('message', () => {
         fs.writeFileSync('${began}', '');
         setInterval(() => fs.existsSync('${mayEnd}') && process.send({ refusal: 'is slow' }), 10);
       });`,
    );
    const slow = new ImageProcess({ script: String(script), onCrash: () => undefined, timeoutMs: 600_000 });
    const claim = { route: 'POST /media', key: randomUUID(), fingerprint: 'aa'.repeat(32) };
    const creating = create(await upload(), randomUUID(), new MediaFiles(store, slow, replicas.pool), claim);
    await eventually(() => existsSync(String(began)));
    const open = `usename = '${replicas.schema.role}' and state like 'idle in transaction%'`;
    const silent = await replicas.count('pg_stat_activity', open);
    writeFileSync(String(mayEnd), '');
    expect(silent).toBe(0);
    expect(await creating).toMatchObject({ error: { details: { file: ['is slow'] } } });
    slow.close();
  });

  it('nothing but the file is left of a picture, and nothing at all of one that was refused', async () => {
    const { file } = await created();
    expect([stored('media'), stored('.drafts')]).toEqual([[file], []]);
    expect(await create(await upload(Buffer.from('<svg/>')))).toMatchObject({
      error: { details: { file: ['must be a PNG, JPEG, WebP or GIF picture'] } },
    });
    expect([stored('media'), stored('.drafts')]).toEqual([[file], []]);
  });

  it('the file of a picture that was never committed is removed', async () => {
    await checkFileLater(replicas.pool, 'lost.png');
    await put('media/lost.png', 'crashed before the commit');
    await sweeper.removeUnused();
    expect(stored('media')).toEqual(['lost.png']);
    await hurryChecks();
    await sweeper.removeUnused();
    expect([stored('media'), await replicas.count('media_file_checks')]).toEqual([[], 0]);
  });

  it('the file of a picture that was committed stays, and its check is done', async () => {
    const { file } = await created();
    expect(await replicas.count('media_file_checks', `file = '${file}'`)).toBe(1);
    await hurryChecks();
    await sweeper.removeUnused();
    expect([stored('media'), await replicas.count('media_file_checks')]).toEqual([[file], 0]);
  });

  it('a file goes with its last picture', async () => {
    const [one, two] = [await created(), await created()];
    accepted(await remove(one));
    await sweeper.removeUnused();
    expect(stored('media')).toEqual([two.file]);
    accepted(await remove(two));
    await sweeper.removeUnused();
    expect(stored('media')).toEqual([]);
  });

  it('a file that is stored again while it is about to be removed is not lost', async () => {
    const first = await created();
    accepted(await remove(first));
    const client = await replicas.pool.connect();
    try {
      // The command that stores it again has taken its lock, and the sweeper waits for that lock.
      await client.query('begin');
      await lockFile(client, first.file);
      const sweeping = sweeper.removeUnused();
      await eventually(async () => (await waitingLocks()) > 0);
      await insertMedia(client, workspaceId, { ...first, id: randomUUID() });
      await client.query('commit');
      await sweeping;
    } finally {
      client.release();
    }
    expect(stored('media')).toEqual([first.file]);
  });

  it('a check is kept while the store is away', async () => {
    const away = await openObjectStore({ kind: 'disk', directory: '/dev/null/no-folder' });
    accepted(await remove(await created()));
    await expect(sweeperOf(away).removeUnused()).rejects.toThrow('The disk cannot be used.');
    expect(await replicas.count('media_file_checks')).toBe(1);
    await sweeper.removeUnused();
    expect(stored('media')).toEqual([]);
  });

  it('a failed pass does not end the sweeper, and stop waits for the current pass', async () => {
    const away = sweeperOf(await openObjectStore({ kind: 'disk', directory: '/dev/null/no-folder' }));
    accepted(await remove(await created()));
    away.wake();
    await away.stop();
    sweeper.wake();
    sweeper.wake();
    await sweeper.stop();
    expect(stored('media')).toEqual([]);
  });

  it('abandoned uploads and drafts are removed after an hour', async () => {
    const [old, fresh] = [await upload(), await upload()];
    const drafts = [await store.draft(), await store.draft()];
    const longAgo = new Date(Date.now() - HOUR_MS - 1_000);
    utimesSync(join(directory, 'incoming', old), longAgo, longAgo);
    utimesSync(drafts[0]?.path ?? '', longAgo, longAgo);
    await sweeper.removeAbandoned();
    expect(stored('incoming')).toEqual([fresh]);
    expect(stored('.drafts')).toHaveLength(1);
  });

  it('the pictures of a deleted workspace are erased piece by piece, with their files', async () => {
    const others = (await replicas.makeWorkspace()).id;
    const media = await created();
    for (let index = 0; index < 4; index++) await created();
    const client = await replicas.pool.connect();
    try {
      await insertMedia(client, others, { ...media, id: randomUUID() });
      const erased = [];
      for (let round = 0; round < 4; round++)
        erased.push(await eraseMediaOfWorkspace(client, workspaceId, 2));
      expect(erased).toEqual([2, 2, 1, 0]);
      await sweeper.removeUnused();
      expect(stored('media')).toEqual([media.file]);
      expect(await eraseMediaOfWorkspace(client, others, 2)).toBe(1);
      await sweeper.removeUnused();
      expect(stored('media')).toEqual([]);
    } finally {
      client.release();
    }
  });

  it('a page is read from its index, however many pictures there are', async () => {
    await replicas.owner.query(
      `insert into media select gen_random_uuid(), $1, 'f' || n, 'image/png', 1, 1, 1, 1, now() - n * interval '1 s', now()
       from generate_series(1, 20000) n`,
      [workspaceId],
    );
    await replicas.owner.query('analyze media');
    const anHourAgo = new Date(Date.now() - HOUR_MS).toISOString();
    const cursor = cursorBehind(anHourAgo, randomUUID());
    const page = { workspace_id: workspaceId, actor: null, params: {}, filters: {}, limit: 50, cursor };
    const plan = await explain(replicas, (client) => pageOfMedia(client, page));
    expect(plan.indexes).toEqual(['media_of_workspace']);
    expect(plan.nodes).toContain('Index Scan');
    expect(plan.nodes).not.toContain('Sort');
  });

  async function waitingLocks(): Promise<number> {
    const { rows } = await replicas.owner.query<{ waiting: number }>(
      `select count(*)::integer as waiting from pg_locks where locktype = 'advisory' and not granted`,
    );
    return rows[0]?.waiting ?? 0;
  }
});
