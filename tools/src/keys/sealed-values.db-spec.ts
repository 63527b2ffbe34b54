import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { integrationSealContext } from '@truetally/contracts/management';
import { Keyring, newKey, newKeyring, promoteKey, stageKey } from '@truetally/keyring';
import { createTestDatabase, ownerPool } from '@truetally/testing';
import type pg from 'pg';
import { columnStore, INTEGRATION_CREDENTIALS } from './sealed-values.js';

it('credentials that a merchant replaces while they are sealed anew stay the new ones, and are sealed anew later', async () => {
  const pool = ownerPool(await createTestDatabase('keys'), 1);
  const before = newKeyring(0);
  const staged = stageKey(before, newKey(1));
  if (!staged.ok) throw new Error(staged.error);
  const [former, keyring] = [new Keyring(before), new Keyring(promoteKey(staged.value, 1))];
  const id = randomUUID();
  const given = (credentials: string) => {
    const { keyId, sealed } = former.seal(credentials, integrationSealContext(id));
    return pool.query(
      `insert into integrations values ($1, $2, $3)
       on conflict (id) do update set key_id = excluded.key_id, sealed = excluded.sealed`,
      [id, keyId, sealed],
    );
  };
  await pool.query('create table integrations (id uuid primary key, key_id text, sealed bytea)');
  await given('first');
  // By a command that has waited in Kafka since before the rotation.
  const query = async (sql: string, values: unknown[]) => {
    const result = await pool.query(sql, values);
    if (sql === INTEGRATION_CREDENTIALS.readSql) await given('second');
    return result;
  };
  const place = { after: undefined, rows: 10 };
  const disturbed = columnStore({ query } as unknown as pg.ClientBase, INTEGRATION_CREDENTIALS);
  expect(await disturbed.resealBatch(keyring, before.current, place)).toMatchObject({ resealed: 0 });
  const store = columnStore(pool as unknown as pg.ClientBase, INTEGRATION_CREDENTIALS);
  expect(await store.resealBatch(keyring, before.current, place)).toMatchObject({ resealed: 1 });
  const { rows } = await pool.query<{ key_id: string; sealed: Buffer }>('select * from integrations');
  await pool.end();
  const [kept] = rows.map(({ key_id: keyId, sealed }) =>
    keyring.open({ keyId, sealed }, integrationSealContext(id)),
  );
  expect(kept).toEqual({ ok: true, value: 'second' });
});
