import { randomBytes } from 'node:crypto';
import { urlOfRole } from '@truetally/processes';
import pg from 'pg';

/** The Kafka and the Postgres of the test run. */
export interface TestStack {
  readonly kafkaBrokers: string;
  /** Of the superuser, shared by every suite. */
  readonly databaseUrl: string;
}

/** A schema with its own role, for one suite. Both stay: their Postgres ends with the run, and to drop them is half of what making them is. */
export interface TestDatabase {
  /** Of the superuser: for migrations and for looking at what was stored. */
  readonly ownerUrl: string;
  /** Of the least-privilege role, which exists from the start. */
  readonly url: string;
  readonly schema: string;
  readonly role: string;
  readonly rolePassword: string;
}

const UNIQUE_BYTES = 5;

/** The Kafka and Postgres that `npm test` started for this run. */
export function testStack(): TestStack {
  return {
    // Missing in a run of tests that need no Kafka.
    get kafkaBrokers() {
      return required('TEST_KAFKA_BROKERS');
    },
    databaseUrl: required('TEST_DATABASE_URL'),
  };
}

/** Where the run's Kafka keeps its log (`log`), and what it says (`kafka.log`). */
export function testKafkaFolder(): string {
  return required('TEST_KAFKA_FOLDER');
}

/** A unique name part for topic prefixes, groups and schemas of a suite. */
export function uniqueName(prefix: string): string {
  return `${prefix}_${randomBytes(UNIQUE_BYTES).toString('hex')}`;
}

/** A prefix for all topics and groups of one suite, so that suites share one broker. */
export function testTopicPrefix(): string {
  return `${uniqueName('t')}.`;
}

/** A separate schema and role on the shared Postgres, or on another. */
export async function createTestDatabase(
  name = 'test',
  databaseUrl = testStack().databaseUrl,
): Promise<TestDatabase> {
  const database = nameTestDatabase(name, databaseUrl);
  const { schema, role, rolePassword } = database;
  await asOwner(databaseUrl, async (client) => {
    await client.query(`create schema ${schema}`);
    await client.query(
      `create role ${role} login nosuperuser nocreatedb nocreaterole noinherit password '${rolePassword}'`,
    );
    await client.query(`grant usage on schema ${schema} to ${role}`);
  });
  return database;
}

/** The same for a caller that migrates it, which makes both. */
export function nameTestDatabase(name: string, databaseUrl = testStack().databaseUrl): TestDatabase {
  const schema = uniqueName(name);
  const role = `${schema}_role`;
  const rolePassword = randomBytes(16).toString('hex');
  const url = urlOfRole(databaseUrl, role, rolePassword);
  return { ownerUrl: databaseUrl, url, schema, role, rolePassword };
}

/** Connections of the superuser to a suite's schema, to look at what was stored. The caller ends them. */
export function ownerPool({ ownerUrl, schema }: TestDatabase, max: number): pg.Pool {
  return new pg.Pool({ connectionString: ownerUrl, options: `-c search_path=${schema}`, max });
}

async function asOwner(databaseUrl: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function required(variable: string): string {
  const value = process.env[variable];
  if (value === undefined || value === '') {
    throw new Error(`${variable} is not set: run the tests with "npm test", which starts a stack for them`);
  }
  return value;
}
