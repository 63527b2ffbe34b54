import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  IMPORT_SETTLEMENTS,
  PieceText,
  UPLOADS_FOLDER,
  uploadSealContext,
} from '@truetally/contracts/publisher';
import { Keyring, newKeyring } from '@truetally/keyring';
import { openObjectStore } from '@truetally/object-store';
import type { ServiceDatabase } from '@truetally/testing-product';
import { openPublisherDatabase } from '../testing/publisher-database.js';
import { settlementImportOf } from '../testing/settlement-import.js';
import { verifyReports } from '../verify-reports/verify-reports.js';

let database: ServiceDatabase;
let directory: string;

beforeAll(async () => {
  database = await openPublisherDatabase();
  directory = await mkdtemp(join(tmpdir(), 'truetally-uploads-'));
});

afterAll(async () => {
  await database.close();
  await rm(directory, { recursive: true });
});

function frameOf(keyring: Keyring, uploadId: string, piece: number): Buffer {
  const text = new PieceText(true);
  const time = '2026-03-01T09:30:00.000Z';
  text.add({
    row: piece + 1,
    values: [`t-${piece}`, null, null, 'approved', '10.00', '1.00', 'EUR', time, time],
  });
  const { keyId, sealed } = keyring.seal(text.take(), uploadSealContext(uploadId, piece));
  return Buffer.concat([Buffer.from(`${keyId} ${sealed.length}\n`), sealed]);
}

describe('an import of settlements', () => {
  it('a step of an import whose later piece is gone stores nothing of its earlier ones', async () => {
    const store = await openObjectStore({ kind: 'disk', directory });
    const [keyring, retired] = [new Keyring(newKeyring(Date.now())), new Keyring(newKeyring(Date.now()))];
    const [siteId, uploadId] = [randomUUID(), randomUUID()];
    const draft = await store.draft();
    await writeFile(
      draft.path,
      Buffer.concat([frameOf(keyring, uploadId, 0), frameOf(retired, uploadId, 1)]),
    );
    await draft.publish(`${UPLOADS_FOLDER}/${uploadId}`);
    const imports = settlementImportOf(database.openPool(1), store, keyring);
    const params = { site_id: siteId, provider: 'awin', upload_id: uploadId, rows: '2' };
    const step = { job_id: randomUUID(), step: IMPORT_SETTLEMENTS, params, cursor: null };
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await imports.step(step)).toMatchObject({ error: { code: 'CONFLICT' } });
    }
    expect((await verifyReports(database.openPool(1))).differences).toEqual([]);
    const { rows } = await database.owner.query('select from settlements where site_id = $1', [siteId]);
    expect(rows).toEqual([]);
    await store.close();
  });
});
