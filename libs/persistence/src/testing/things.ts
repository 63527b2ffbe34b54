import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createPool, INBOX_TABLE_SQL, migrate, OUTBOX_TABLE_SQL } from '../index.js';

class CreateThings1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table things (id int primary key)');
    await runner.query(OUTBOX_TABLE_SQL);
    await runner.query(INBOX_TABLE_SQL);
    await runner.query(
      `do $$ begin execute format('grant select, insert, delete on things, outbox, inbox to %I',
         current_setting('truetally.role')); end $$`,
    );
  }

  down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** A schema with a table of numbered things, an outbox and an inbox, and connections of its role. */
export class ThingsDatabase {
  private constructor(
    readonly migration: ReturnType<typeof optionsOf>,
    readonly pool: pg.Pool,
    readonly pipelining: pg.Pool,
    readonly owner: pg.Client,
  ) {}

  /** @param url of a superuser */
  static async open(url: string | undefined): Promise<ThingsDatabase> {
    const options = optionsOf(url ?? '', `persistence_${randomBytes(4).toString('hex')}`);
    await Promise.all([migrate(options), migrate(options)]);
    const own = new URL(options.url);
    own.username = options.role;
    own.password = options.rolePassword;
    const connections = { url: own.toString(), schema: options.schema, applicationName: 'test', max: 8 };
    const owner = new pg.Client({ connectionString: options.url });
    await owner.connect();
    const pipelining = createPool({ ...connections, pipeline: true });
    return new ThingsDatabase(options, createPool(connections), pipelining, owner);
  }

  /** @returns ids of the existing things */
  async things(): Promise<readonly number[]> {
    const { rows } = await this.pool.query<{ id: number }>('select id from things order by id');
    return rows.map(({ id }) => id);
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.end(), this.pipelining.end(), this.owner.end()]);
  }
}

function optionsOf(url: string, name: string) {
  return {
    url,
    schema: name,
    role: name,
    rolePassword: randomBytes(16).toString('hex'),
    migrations: [CreateThings1700000000000],
  };
}
