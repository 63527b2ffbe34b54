import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type LocalService } from '@truetally/testing';
import type { IngestionDatabase } from './ingestion-database.js';
import type { IngestionProcesses } from './ingestion-process.js';
import { anEvent } from './requests.js';

/** The service under test: the only replica, and its schema. */
export interface Accessing {
  readonly database: IngestionDatabase;
  readonly processes: IngestionProcesses;
  readonly service: LocalService;
}

const TRIES_SEEN = 6;

interface Login {
  readonly role: string;
  readonly password: string;
  readonly schema: string;
}

/** The owner causes and reverts each fault; the service's sessions are ended, so that it must log in again. */
const FAULTS = [
  {
    what: 'a changed password',
    says: 'password authentication failed',
    begin: ({ role }: Login) => `alter role ${role} password '${randomBytes(8).toString('hex')}'`,
    end: ({ role, password }: Login) => `alter role ${role} password '${password}'`,
  },
  {
    what: 'a role that may not log in',
    says: 'is not permitted to log in',
    begin: ({ role }: Login) => `alter role ${role} nologin`,
    end: ({ role }: Login) => `alter role ${role} login`,
  },
  {
    what: 'a revoked grant on a table',
    says: 'permission denied for table events',
    begin: ({ role, schema }: Login) => `revoke insert on ${schema}.events from ${role}`,
    end: ({ role, schema }: Login) => `grant insert on ${schema}.events to ${role}`,
  },
  {
    what: 'a revoked grant on the schema',
    says: 'does not exist|permission denied for schema',
    begin: ({ role, schema }: Login) => `revoke usage on schema ${schema} from ${role}`,
    end: ({ role, schema }: Login) => `grant usage on schema ${schema} to ${role}`,
  },
  {
    what: 'no connections left',
    says: 'too many connections for role',
    begin: ({ role }: Login) => `alter role ${role} connection limit 0`,
    end: ({ role }: Login) => `alter role ${role} connection limit -1`,
  },
] as const;

/** Needs a replica that has given up no message yet. */
export function whatAccessFaultsCost(accessing: () => Accessing): void {
  describe('a fault of the surroundings (issue: infrastructure errors are not poison)', () => {
    let login: Login;

    beforeAll(() => {
      const { url, schema } = accessing().database;
      const { username, password } = new URL(url);
      login = { role: decodeURIComponent(username), password: decodeURIComponent(password), schema };
    });

    async function stored(ids: readonly string[]): Promise<ReadonlySet<string>> {
      const { rows } = await accessing().database.owner.query<{ event_id: string }>(
        'select event_id from events where event_id = any($1::uuid[])',
        [ids],
      );
      return new Set(rows.map(({ event_id: id }) => id));
    }

    it.each(FAULTS)('$what: no request is given up, and all are stored afterwards', async (fault) => {
      const { database, processes, service } = accessing();
      await database.owner.query(fault.begin(login));
      const endSessions = 'select pg_terminate_backend(pid) from pg_stat_activity where usename = $1';
      await database.owner.query(endSessions, [login.role]);
      const seen = service.output().length;
      const events = Array.from({ length: 10 }, () => anEvent());
      const ids = events.map(({ event_id: id }) => id);
      const asked = events.map((event) => processes.ask([event]));
      // Longer than the three attempts for a poison message: each attempt is logged.
      const tried = new RegExp(
        `handler is called again.*${fault.says}|${fault.says}.*handler is called again`,
        'g',
      );
      await eventually(() => (service.output().slice(seen).match(tried)?.length ?? 0) >= TRIES_SEEN, {
        message: () => service.tail(),
      });
      expect((await stored(ids)).size).toBe(0);
      await database.owner.query(fault.end(login));
      const replies = await Promise.all(asked);
      // A request that timed out and one that could not be stored have the same code.
      for (const reply of replies) {
        if ('error' in reply) expect(reply.error.code).toBe('UNAVAILABLE');
      }
      await eventually(async () => (await stored(ids)).size === events.length);
      expect(service.output()).not.toContain('message given up');
      expect(service.isRunning).toBe(true);
    });
  });
}
