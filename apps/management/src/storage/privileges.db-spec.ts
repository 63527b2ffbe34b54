import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ManagementReplicas } from '../testing/management-replicas.js';

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

describe('the least-privilege role', () => {
  it.each([
    'delete from workspaces',
    'delete from sites',
    'delete from api_keys',
    'update members set workspace_id = gen_random_uuid()',
    'delete from audit_log',
    "update audit_log set actor = 'somebody else'",
    'truncate audit_log',
    'update outbox set value = null',
    'update inbox set reply = null',
    'truncate outbox',
    'drop table sites',
    'create table more (id int)',
    'alter table sites add column more int',
    'select * from migrations',
    'truncate products',
    'alter table integrations drop column sealed',
    'select * from pg_authid',
  ])('the least-privilege role may not: %s', async (sql) => {
    await expect(replicas.pool.query(sql)).rejects.toMatchObject({ code: '42501' });
  });
});
