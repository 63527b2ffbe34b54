import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import {
  ManagedProcess,
  NODE_BINARY,
  programEnvironment,
  REPOSITORY_ROOT,
  testStack,
  uniqueName,
  urlOfRole,
} from '@truetally/testing';
import pg from 'pg';
import type { Migration } from './migrate-product.js';
import { programsPath } from './services.js';

const MIGRATE_EACH = join(REPOSITORY_ROOT, 'libs', 'testing-product', 'dist', 'migrate-each.js');
const PASSWORD = 'of-this-test';
const name = uniqueName('plain');
const owner = `${name}_owner`;
const roleOf = (service: ServiceName): string => `${name}_${service.replaceAll('-', '_')}`;
const superuser = new pg.Client(testStack().databaseUrl);

/** The owner's URL of its own database: as managed Postgres gives it, without CREATEROLE. */
function ownerUrl(): string {
  const url = new URL(urlOfRole(testStack().databaseUrl, owner, PASSWORD));
  url.pathname = `/${name}`;
  return url.toString();
}

beforeAll(async () => {
  await superuser.connect();
  const plain = 'login nosuperuser nocreatedb nocreaterole noinherit';
  for (const role of [owner, ...SERVICE_NAMES.map(roleOf)]) {
    await superuser.query(`create role ${role} ${plain} password '${PASSWORD}'`);
  }
  await superuser.query(`create database ${name} owner ${owner}`);
});

afterAll(async () => {
  await superuser.query(`drop database if exists ${name} with (force)`);
  for (const role of [owner, ...SERVICE_NAMES.map(roleOf)])
    await superuser.query(`drop role if exists ${role}`);
  await superuser.end();
});

/** In one process, as a launch of the product does. */
async function migrate(services: readonly ServiceName[], role: (service: ServiceName) => string) {
  const migrations = services.map((service): Migration => ({
    program: join(REPOSITORY_ROOT, programsPath(service), 'migrate.js'),
    environment: { DATABASE_URL: ownerUrl(), DATABASE_ROLE: role(service) },
  }));
  const migration = await ManagedProcess.start({
    name: 'the migration',
    command: NODE_BINARY,
    args: [MIGRATE_EACH],
    env: { ...programEnvironment(), MIGRATIONS: JSON.stringify(migrations) },
    cwd: REPOSITORY_ROOT,
  });
  const { code } = await migration.exited;
  return { code, log: migration.tail() };
}

describe('migrations as an owner without CREATEROLE', () => {
  beforeAll(async () => {
    for (const round of ['first', 'second']) {
      const { code, log } = await migrate(SERVICE_NAMES, roleOf);
      expect([round, code, code === 0 ? '' : log]).toEqual([round, 0, '']);
    }
  });

  it.each(SERVICE_NAMES)('%s is migrated twice, for a role that somebody else made', async (service) => {
    const client = new pg.Client(ownerUrl().replace(owner, roleOf(service)));
    await client.connect();
    const schema = service.replaceAll('-', '_');
    const { rows } = await client.query(
      `select has_schema_privilege($1, 'usage') as may_use, has_schema_privilege($1, 'create') as may_create,
         exists (select from information_schema.role_table_grants where table_schema = $1 and grantee = $2) as may_read`,
      [schema, roleOf(service)],
    );
    await client.end();
    expect(rows).toEqual([{ may_use: true, may_create: false, may_read: true }]);
  });

  it('a role that nobody made is named, with what to do', async () => {
    const { code, log } = await migrate(['management'], () => `${name}_nobody`);
    expect(code).toBe(1);
    expect(log).toContain(
      `The role ${name}_nobody does not exist: create it, or set DATABASE_ROLE_PASSWORD.`,
    );
  });
});
