import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IMPORT_SETTLEMENTS, UPLOADS_FOLDER, uploadSealContext } from '@truetally/contracts/publisher';
import { failure } from '@truetally/kernel';
import { TransientError } from '@truetally/messaging';
import { Keyring, newKeyring } from '@truetally/keyring';
import { openObjectStore, StoreUnavailableError } from '@truetally/object-store';
import type { ServiceDatabase } from '@truetally/testing-product';
import { openPublisherDatabase } from '../testing/publisher-database.js';
import { settlementImportOf } from '../testing/settlement-import.js';
import { MOST_ATTEMPTS, StepAttempts } from './step-attempts.js';

let database: ServiceDatabase;
let attempts: StepAttempts;

beforeAll(async () => {
  database = await openPublisherDatabase();
  attempts = new StepAttempts(database.openPool(1));
});

afterAll(() => database.close());

const broken = (): Promise<never> => Promise.reject(new Error('A step that never ends well.'));

describe('a step of a job', () => {
  it('a step of a job is refused after several failed attempts, and none of another one counts', async () => {
    const [name, other] = [randomUUID(), randomUUID()];
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      await expect(attempts.limit(name, broken)).rejects.toThrow('never ends well');
      await expect(attempts.limit(other, () => Promise.resolve({ ok: attempt }))).resolves.toEqual({
        ok: attempt,
      });
    }
    expect(await attempts.limit(name, broken)).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining('several attempts') as unknown },
    });
  });

  it('a step of a job is refused too when its attempts end the process: they count when they begin', async () => {
    const name = randomUUID();
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      // Like a killed process, it neither returns nor throws.
      await new Promise<void>((resolve) => {
        void attempts.limit(name, () => {
          resolve();
          return new Promise<never>(() => undefined);
        });
      });
    }
    expect(await attempts.limit(name, broken)).toMatchObject({ error: { code: 'CONFLICT' } });
  });

  it('a step of a job is told of its last attempt, which a temporary answer counts for', async () => {
    const name = randomUUID();
    const told: boolean[] = [];
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      await attempts.limit(name, (isLast) => {
        told.push(isLast);
        return Promise.resolve(failure('UNAVAILABLE', 'The network did not answer.'));
      });
    }
    expect(told).toEqual(Array.from({ length: MOST_ATTEMPTS }, (_, n) => n === MOST_ATTEMPTS - 1));
  });

  it('a step is refused after several attempts at a piece of an upload that cannot be read', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'truetally-uploads-'));
    const store = await openObjectStore({ kind: 'disk', directory });
    const keyring = new Keyring(newKeyring(Date.now()));
    const uploadId = randomUUID();
    const { keyId, sealed } = keyring.seal('not a piece', uploadSealContext(uploadId, 0));
    const draft = await store.draft();
    await writeFile(draft.path, Buffer.concat([Buffer.from(`${keyId} ${sealed.length}\n`), sealed]));
    await draft.publish(`${UPLOADS_FOLDER}/${uploadId}`);
    const pool = database.openPool(1);
    const imports = settlementImportOf(pool, store, keyring);
    const params = { site_id: randomUUID(), provider: 'awin', upload_id: uploadId, rows: '1' };
    const step = { job_id: randomUUID(), step: IMPORT_SETTLEMENTS, params, cursor: null };
    const attempt = () => attempts.limit(step.job_id, () => imports.step(step));
    for (let n = 0; n < MOST_ATTEMPTS; n += 1) await expect(attempt()).rejects.toThrow('cannot be read');
    expect(await attempt()).toMatchObject({ error: { code: 'CONFLICT' } });
    await store.close();
    await rm(directory, { recursive: true });
  });

  const denied = Object.assign(new Error('permission denied'), { code: '42501' });
  it.each([new TransientError('Management is away.'), new StoreUnavailableError('full'), denied])(
    'outlives any number of attempts during an outage: %s',
    async (outage) => {
      const name = randomUUID();
      for (let attempt = 0; attempt < MOST_ATTEMPTS * 2; attempt += 1) {
        await expect(attempts.limit(name, () => Promise.reject(outage))).rejects.toBe(outage);
      }
      expect(await attempts.limit(name, () => Promise.resolve({ ok: 'done' }))).toEqual({ ok: 'done' });
    },
  );
});
