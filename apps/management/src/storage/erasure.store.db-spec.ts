import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inTransaction } from '@truetally/persistence';
import { eraseProfile } from '../erasures/erase-profile.js';
import { eraseSome, WORKSPACE_ERASURES } from '../jobs/erasures.js';
import { accepted, ManagementReplicas, OWNER } from '../testing/management-replicas.js';

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

it('the deletion of a workspace finishes open erasures, and keeps nothing of whom they erase', async () => {
  const { id: workspaceId } = await replicas.makeWorkspace();
  const site = await replicas.makeSite(workspaceId);
  const command = {
    workspace_id: workspaceId,
    actor: { sub: OWNER, email: null, key_id: null, key_prefix: null },
    params: {},
    version: null,
    idempotency: null,
    body: { site_id: site.id, user_id: 'person@example.com' },
  };
  const begun = await replicas.next().command(command, randomUUID(), eraseProfile);
  const { erasure_id: id } = accepted<{ data: { readonly erasure_id: string } }>(begun).data;
  await replicas.owner.query(`insert into erasure_subjects values ($1, 'session-1')`, [id]);
  const erase = () =>
    inTransaction(replicas.pool, (client) => eraseSome(client, WORKSPACE_ERASURES, workspaceId));
  while ((await erase()) !== undefined);
  const nameless = 'user_id is null and email is null and requested_by is null and finished_at is not null';
  expect(await replicas.count('erasures', `erasure_id = '${id}' and ${nameless}`)).toBe(1);
  expect(await replicas.count('erasure_subjects', `erasure_id = '${id}'`)).toBe(0);
  expect(await replicas.count('erasure_services', `erasure_id = '${id}' and confirmed_at is null`)).toBe(0);
});
