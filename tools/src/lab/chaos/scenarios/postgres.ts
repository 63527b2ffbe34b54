import { join } from 'node:path';
import { SERVICE_NAMES } from '@truetally/contracts/services';
import { eventually, signalTree, startReplica } from '@truetally/processes';
import pg from 'pg';
import { type Arena, POSTGRES_USER } from '../arena.js';
import { type Scenario } from '../scenario.js';
import { firstOf, terminate } from './processes.js';

const LOCK_TIMEOUT_MS = 100;

const KILLED: Scenario = {
  name: 'kill-postgres',
  what: 'Postgres gets SIGKILL, and is started again',
  brokers: 1,
  mayFail: [],
  run: async ({ postgres }, load) => {
    await postgres.kill('SIGKILL');
    await load.felt();
    await postgres.restart();
    load.mark();
  },
};

const STOPPED: Scenario = {
  name: 'stopped-postgres',
  what: 'Postgres and all its sessions are stopped (SIGSTOP), and continue',
  brokers: 1,
  mayFail: [],
  run: async ({ postgres }, load) => {
    signalTree(postgres.pid, 'SIGSTOP');
    await load.felt();
    signalTree(postgres.pid, 'SIGCONT');
    load.mark();
  },
};

/** Every answered write is on the replica, because the primary waited for it. */
export const FAILOVER: Scenario = {
  name: 'postgres-failover',
  what: 'the primary is killed, its synchronous replica is promoted, the service address moves',
  brokers: 1,
  mayFail: [],
  run: async (arena, load, { answers }) => {
    const primary = arena.postgres;
    const replica = await startReplica(primary, { dataDir: join(arena.folder, 'replica'), ...POSTGRES_USER });
    await load.more(answers);
    load.mark();
    await primary.kill('SIGKILL');
    await replica.promote();
    arena.toPostgres.leadTo(new URL(replica.url).host);
    arena.postgres = replica;
  },
};

export const READ_ONLY: Scenario = {
  name: 'postgres-read-only',
  what: 'every transaction is read-only (default_transaction_read_only), then writable again',
  brokers: 1,
  mayFail: [],
  run: async (arena, load) => {
    await setReadOnly(arena, true);
    await load.felt();
    await setReadOnly(arena, false);
    load.mark();
  },
};

export const DISK_FULL: Scenario = {
  name: 'disk-full-postgres',
  what: "Postgres' disk is full, then has space again",
  brokers: 1,
  mayFail: [],
  lacks: ({ disks }) => (disks === null ? 'no file system may be mounted here' : undefined),
  run: async ({ disks, postgres }, load) => {
    disks?.postgres.fill();
    await load.felt();
    disks?.postgres.free();
    // Without room for its log it stops by itself.
    if (!postgres.isRunning) await postgres.restart();
    load.mark();
  },
};

/** A foreign transaction locks what one service's commands need; the other services must not wait. */
export const STUCK: Scenario = {
  name: 'stuck-consumer',
  what: "the ledger's handlers wait for a lock of another session, which is then released",
  brokers: 1,
  mayFail: [],
  run: async (arena, load, { answers }) => {
    const keeper = new pg.Client({ connectionString: arena.postgres.url });
    await keeper.connect();
    try {
      await keeper.query(`begin; lock table ${arena.product.schema('attribution-ledger')}.records`);
      await load.felt();
      await load.more(answers);
    } finally {
      await keeper.end();
    }
    load.mark();
  },
};

/** What the next release's migration may do while this one runs: additions, but no removals. */
export const SCHEMA_AHEAD: Scenario = {
  name: 'schema-ahead',
  what: 'every table of every service gets the additions of a next release; one of two replicas is restarted on it',
  brokers: 1,
  mayFail: [],
  run: async (arena, load, { answers, services }) => {
    load.mark();
    await expandSchemas(arena);
    await load.recovered();
    await load.more(answers);
    for (const service of services) {
      if (service === 'gateway') continue;
      load.mark();
      await terminate(firstOf(arena, service));
      await firstOf(arena, service).restart();
      await load.recovered();
    }
    await load.more(answers);
  },
};

async function setReadOnly({ postgres }: Arena, isReadOnly: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    await client.query('set default_transaction_read_only = off');
    await client.query(`alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
    await client.query('select pg_reload_conf()');
  } finally {
    await client.end();
  }
}

/**
 * Locks that are not granted at once are retried, so that nothing waits behind them, like an online
 * migration.
 */
async function expandSchemas({ postgres, product }: Arena): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    await client.query(`set lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
    for (const service of SERVICE_NAMES) {
      const { rows } = await client.query<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables
         where schemaname = $1 and not exists (select from pg_inherits
           where inhrelid = format('%I.%I', schemaname, tablename)::regclass)`,
        [product.schema(service)],
      );
      for (const { name } of rows) {
        const statement = `alter table ${name} add column of_next_release text not null default 'next'`;
        await eventually(() => client.query(statement), { message: `the lock of ${name}` });
      }
    }
  } finally {
    await client.end();
  }
}

export const POSTGRES: readonly Scenario[] = [KILLED, STOPPED, READ_ONLY, DISK_FULL, STUCK, SCHEMA_AHEAD];
