import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_NAMES } from '@truetally/contracts/services';
import {
  archiveAll,
  eventually,
  type LocalService,
  restoreToInstant,
  settleAll,
  takeBaseBackup,
} from '@truetally/processes';
import pg from 'pg';
import { countRows } from '../account.js';
import { type Arena, POSTGRES_USER } from '../arena.js';
import { type Lane } from '../lanes.js';
import { type Load } from '../load.js';
import { runTool } from '../run-tool.js';
import { type Scenario } from '../scenario.js';
import { terminate } from './processes.js';

const REWOUND = { timeoutMs: 60_000, message: '`restored` to end with 0' };
const READ_AGAIN = { timeoutMs: 300_000, message: 'what Kafka has to be stored again' };
const PUBLISHED = { timeoutMs: 120_000, message: "management's outbox to be empty" };

/** The steps of docs/operations/restore.md. */
export const RESTORE: Scenario = {
  name: 'restore',
  what: 'Postgres is restored from a base copy and its archived log to a point before the newest answers; Kafka is ahead of it',
  brokers: 1,
  isArchived: true,
  mayFail: [],
  run: async (arena, load, { answers }) => {
    const { archive, folder } = arena;
    if (archive === undefined) throw new Error('Postgres does not archive its log.');
    const backup = await takeBaseBackup(arena.postgres, { folder: join(folder, 'base'), archive });
    await load.more(answers);
    const to = await query<string>(
      arena,
      `select to_char(clock_timestamp() at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as value`,
    );
    await load.more(answers);
    await archiveAll(arena.postgres);
    load.mark();
    const behind = SERVICE_NAMES.filter((name) => name !== 'gateway');
    const stopped = new Map(behind.map((name) => [name, arena.product.processes(name)]));
    await settleAll([...stopped.values()].flat().map(terminate));
    await arena.postgres.kill('SIGKILL');
    arena.postgres = await restoreToInstant(backup, {
      dataDir: join(folder, 'restored'),
      ...POSTGRES_USER,
      to,
    });
    arena.toPostgres.leadTo(new URL(arena.postgres.url).host);
    const undone = await undoneItems(arena, load);
    const named = await tellRestored(arena, to);
    await startAgain(arena, stopped);
    await load.recovered();
    await makeUpFor(arena, load, undone, named);
  },
};

/** Items that were answered, by lane, and are no longer stored. */
type Undone = ReadonlyMap<Lane, readonly string[]>;

async function undoneItems(arena: Arena, load: Load): Promise<Undone> {
  const undone = new Map<Lane, readonly string[]>();
  for (const [lane, told] of load.told) {
    const ids = await missing(arena, lane, [...told.keys()]);
    load.undo(lane, ids);
    undone.set(lane, ids);
  }
  const count = [...undone.values()].flat().length;
  if (count === 0) throw new Error('Nothing was answered after the point.');
  const lanes = Array.from(undone, ([{ name }, ids]) => `${name} ${ids.length}`).join(', ');
  console.log(`restore: ${count} answered items are undone: ${lanes}`);
  return undone;
}

/** @returns the ids of the requests that nothing reads again */
async function tellRestored(arena: Arena, to: string): Promise<ReadonlySet<string>> {
  const { kafkaBrokers, topicPrefix, schemaPrefix } = arena.product.installation;
  const file = join(arena.folder, 'undone.jsonl');
  const args = ['--to', to, '--topic-prefix', topicPrefix, '--schema-prefix', schemaPrefix, '--undone', file];
  const env = { DATABASE_URL: arena.databaseUrl, KAFKA_BROKERS: kafkaBrokers };
  let fault: string | undefined;
  // A stopped process may remain a member of its group for some seconds.
  await eventually(async () => (fault = await runTool({ command: 'restored', args, env })) === undefined, {
    ...REWOUND,
    message: () => `${REWOUND.message}; it says ${String(fault)}`,
  });
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Set(lines.map((line) => (JSON.parse(line) as { request_id: string }).request_id));
}

async function startAgain(
  arena: Arena,
  stopped: ReadonlyMap<string, readonly LocalService[]>,
): Promise<void> {
  const restart = (services: readonly LocalService[]): Promise<unknown> =>
    settleAll(services.map((service) => service.restart()));
  await restart(stopped.get('management') ?? []);
  const outbox = `${arena.product.schema('management')}.outbox`;
  await eventually(
    async () => (await query<boolean>(arena, `select not exists (select from ${outbox}) as value`)) === true,
    PUBLISHED,
  );
  await restart([...stopped].flatMap(([name, services]) => (name === 'management' ? [] : services)));
}

/** What was asked by commands is repeated by those who asked; everything else comes back by itself. */
async function makeUpFor(
  arena: Arena,
  load: Load,
  undone: Undone,
  named: ReadonlySet<string>,
): Promise<void> {
  for (const [lane, ids] of undone) {
    const told = load.told.get(lane);
    if (lane.stored.isCommanded === true) {
      const isNamed = (id: string): boolean =>
        [...(told?.get(id)?.requestIds ?? [])].some((one) => named.has(one));
      const unnamed = ids.filter((id) => !isNamed(id));
      if (unnamed.length > 0) throw new Error(`${lane.name}: ${unnamed.length} undone, but not named.`);
      const numbers = ids.map((id) => told?.get(id)?.n ?? 0);
      load.forget(lane, ids);
      await load.repeat(lane, numbers);
    } else {
      await eventually(async () => (await missing(arena, lane, ids)).length === 0, READ_AGAIN);
    }
  }
}

async function missing(arena: Arena, lane: Lane, ids: readonly string[]): Promise<readonly string[]> {
  return withClient(arena, async (client) => {
    const rows = await countRows(client, arena.product, lane.stored, ids);
    return ids.filter((id) => !rows.has(id));
  });
}

function query<T>(arena: Arena, text: string): Promise<T> {
  return withClient(arena, async (client) => {
    const { rows } = await client.query<{ value: T }>(text);
    const [first] = rows;
    if (first === undefined) throw new Error(`No row: ${text}`);
    return first.value;
  });
}

async function withClient<T>(arena: Arena, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: arena.databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
