import pg from 'pg';
import type { MigrationInterface } from 'typeorm';
import { connectionOf } from './connection.js';
import { GuardedClient } from './guarded-client.js';

/** The schema to migrate, and the role that the service gets. */
export interface MigrateOptions {
  /** An owner's connection: it may create schemas, and roles where `rolePassword` is given. */
  readonly url: string;
  readonly schema: string;
  /** The service's own login role, with only the privileges that the migrations grant. */
  readonly role: string;
  /** Undefined: somebody else has made the role, and its password is theirs (docs/operations/kubernetes.md). */
  readonly rolePassword: string | undefined;
  /**
   * Constructed with the role's name, because grants name it. Class names end in a timestamp, as TypeORM
   * requires.
   */
  readonly migrations: readonly MigrationConstructor[];
}

/** The class of a TypeORM migration. */
export type MigrationConstructor = new () => MigrationInterface;

/** An arbitrary constant that every migration step of this product shares. */
const MIGRATION_LOCK = 7_202_611_201n;

/**
 * Brings a service's schema up to date: role, schema, then each pending migration in its own transaction.
 * Safe to repeat, and to run concurrently (the second run waits and finds nothing to do). In a migration,
 * unqualified names resolve to the schema, and `current_setting('truetally.role')` is the service's role.
 */
export async function migrate(options: MigrateOptions): Promise<readonly string[]> {
  const lock = new GuardedClient(connectionOf(options.url));
  await lock.connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [String(MIGRATION_LOCK)]);
    await settleRole(lock, options);
    await createSchema(lock, options);
    return await runMigrations(options);
  } finally {
    await lock.end();
  }
}

async function settleRole(client: pg.Client, { role, rolePassword }: MigrateOptions): Promise<void> {
  const name = pg.escapeIdentifier(role);
  const existing = await client.query('select 1 from pg_roles where rolname = $1', [role]);
  if (rolePassword === undefined) {
    if (existing.rowCount !== 0) return;
    throw new Error(`The role ${role} does not exist: create it, or set DATABASE_ROLE_PASSWORD.`);
  }
  if (existing.rowCount === 0) {
    await client.query(`create role ${name} login nosuperuser nocreatedb nocreaterole noinherit`);
  }
  await client.query(`alter role ${name} password ${pg.escapeLiteral(rolePassword)}`);
}

async function createSchema(client: pg.Client, { schema, role }: MigrateOptions): Promise<void> {
  const name = pg.escapeIdentifier(schema);
  await client.query(`create schema if not exists ${name}`);
  await client.query(`revoke all on schema ${name} from public`);
  await client.query(`grant usage on schema ${name} to ${pg.escapeIdentifier(role)}`);
}

async function runMigrations({ url, schema, role, migrations }: MigrateOptions): Promise<readonly string[]> {
  // Loaded here, because services import this package but never migrate: it would cost each of them 20 MiB.
  const { DataSource } = await import('typeorm');
  const { connectionString, ssl } = connectionOf(url);
  const source = new DataSource({
    type: 'postgres',
    url: connectionString,
    schema,
    migrations: [...migrations],
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    extra: {
      Client: GuardedClient,
      max: 2,
      ssl,
      options: `-c search_path=${schema} -c truetally.role=${role} -c timezone=UTC`,
    },
  });
  await source.initialize();
  try {
    const done = await source.runMigrations();
    return done.map((migration) => migration.name);
  } finally {
    await source.destroy();
  }
}
