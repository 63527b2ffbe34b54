import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type LocalService } from '@truetally/testing';
import { type IngestionDatabase, openIngestionDatabase } from '../testing/ingestion-database.js';
import { type IngestionProcesses, openIngestionProcesses } from '../testing/ingestion-process.js';
import { anEvent } from '../testing/requests.js';

let database: IngestionDatabase;
let processes: IngestionProcesses;
let service: LocalService;
let role: string;

beforeAll(async () => {
  database = await openIngestionDatabase();
  role = decodeURIComponent(new URL(database.url).username);
  processes = await openIngestionProcesses(database);
  service = await processes.startReplica();
});

afterAll(async () => {
  await processes.close();
  await database.close();
});

/** The owner causes and reverts each fault; the service's sessions are ended, so that it must log in again. */
const FAULTS = [
  {
    what: 'a changed password',
    says: 'password authentication failed',
    begin: () => `alter role ${role} password '${randomBytes(8).toString('hex')}'`,
    end: () => `alter role ${role} password '${decodeURIComponent(new URL(database.url).password)}'`,
  },
  {
    what: 'a role that may not log in',
    says: 'is not permitted to log in',
    begin: () => `alter role ${role} nologin`,
    end: () => `alter role ${role} login`,
  },
  {
    what: 'a revoked grant on a table',
    says: 'permission denied for table events',
    begin: () => `revoke insert on ${database.schema}.events from ${role}`,
    end: () => `grant insert on ${database.schema}.events to ${role}`,
  },
  {
    what: 'a revoked grant on the schema',
    says: 'does not exist|permission denied for schema',
    begin: () => `revoke usage on schema ${database.schema} from ${role}`,
    end: () => `grant usage on schema ${database.schema} to ${role}`,
  },
  {
    what: 'no connections left',
    says: 'too many connections for role',
    begin: () => `alter role ${role} connection limit 0`,
    end: () => `alter role ${role} connection limit -1`,
  },
] as const;

describe('a fault of the surroundings (issue: infrastructure errors are not poison)', () => {
  it.each(FAULTS)('$what: no request is given up, and all are stored afterwards', async (fault) => {
    await database.owner.query(fault.begin());
    await database.owner.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [
      role,
    ]);
    const seen = service.output().length;
    const events = Array.from({ length: 10 }, () => anEvent());
    const asked = events.map((event) => processes.ask([event]));
    // Longer than the three attempts for a poison message: each attempt is logged.
    const tried = new RegExp(
      `handler is called again.*${fault.says}|${fault.says}.*handler is called again`,
      'g',
    );
    await eventually(() => (service.output().slice(seen).match(tried)?.length ?? 0) >= TRIES_SEEN, {
      message: () => service.tail(),
    });
    expect((await stored(events.map(({ event_id: id }) => id))).size).toBe(0);
    await database.owner.query(fault.end());
    const replies = await Promise.all(asked);
    // A request that timed out and one that could not be stored have the same code.
    for (const reply of replies) {
      if ('error' in reply) expect(reply.error.code).toBe('UNAVAILABLE');
    }
    await eventually(async () => (await stored(events.map(({ event_id: id }) => id))).size === events.length);
    expect(service.output()).not.toContain('message given up');
    expect(service.isRunning).toBe(true);
  });
});

const TRIES_SEEN = 6;

async function stored(ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await database.owner.query<{ event_id: string }>(
    'select event_id from events where event_id = any($1::uuid[])',
    [ids],
  );
  return new Set(rows.map(({ event_id: id }) => id));
}
