import { parseArgs } from 'node:util';
import { connectionOf } from '@truetally/persistence';
import pg from 'pg';
import { retireOldKeys, rotateKeys } from './rotate-keys.js';
import {
  CLICK_REFERENCES,
  CLICK_VALUES,
  columnStore,
  INTEGRATION_CREDENTIALS,
  type SealedStore,
} from './sealed-values.js';
import { type RotationTarget, rotationTarget, type SchemaAddress } from './target.js';
import { webhookStore } from './webhook-secrets.js';

const DONE = 0;
const FAILED = 1;
const MS_PER_SECOND = 1_000;
/** Five times the interval at which a process reads its keyring; a mounted secret may need another minute. */
const DEFAULT_SETTLE_SECONDS = 5;
const MAX_SETTLE_SECONDS = 3_600;
/** Counting the values by key reads an index of all of them. */
const STATEMENT_TIMEOUT_MS = 600_000;
const LOCK = `select pg_try_advisory_lock(hashtextextended('keys:rotate ' || current_schema(), 0)) as locked`;

/**
 * `npm run keys:rotate`: from now on a new key seals, and every stored sealed value is resealed with it. After
 * an interruption, the next run continues. `-- --retire` removes expired keys. `--settle-seconds` is how long
 * every process may need to read a changed keyring.
 * @returns the exit code: 0 done, 1 failed, or some values cannot be opened
 */
export async function runRotation(
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  try {
    const { values } = parseArgs({
      args: [...parameters],
      options: {
        retire: { type: 'boolean', default: false },
        'settle-seconds': { type: 'string', default: String(DEFAULT_SETTLE_SECONDS) },
      },
    });
    const target = rotationTarget(environment);
    const settleMs = readSeconds(values['settle-seconds']) * MS_PER_SECOND;
    const options = { keyringFile: target.keyringFile, settleMs, nowMs: Date.now, say: console.log };
    const work = values.retire ? retireOldKeys : rotateKeys;
    const unreadable = await whileLocked(target, (stores) => work(stores, options));
    return unreadable === 0 ? DONE : FAILED;
  } catch (error) {
    console.error(`Not done: ${error instanceof Error ? error.message : String(error)}`);
    return FAILED;
  }
}

/** One rotation at a time: the lock ends with the connection to the ledger's database, however this process ends. */
async function whileLocked<T>(
  { ledger, management, publisher }: RotationTarget,
  work: (stores: readonly SealedStore[]) => Promise<T>,
): Promise<T> {
  const clients: pg.Client[] = [];
  const connect = async (address: SchemaAddress): Promise<pg.Client> => {
    const client = clientOf(address);
    clients.push(client);
    await client.connect();
    return client;
  };
  try {
    const ledgerClient = await connect(ledger);
    const { rows } = await ledgerClient.query<{ locked: boolean }>(LOCK);
    if (rows[0]?.locked !== true) throw new Error('another keys:rotate is at work.');
    const managementClient = await connect(management);
    return await work([
      columnStore(ledgerClient, CLICK_VALUES),
      columnStore(managementClient, INTEGRATION_CREDENTIALS),
      columnStore(await connect(publisher), CLICK_REFERENCES),
      webhookStore(managementClient),
    ]);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

function clientOf({ databaseUrl, schema }: SchemaAddress): pg.Client {
  const client = new pg.Client({
    ...connectionOf(databaseUrl),
    application_name: 'keys-rotate',
    statement_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    options: `-c search_path=${schema} -c timezone=UTC`,
  });
  // A connection may break between two statements; the next statement reports it.
  client.on('error', () => undefined);
  return client;
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || seconds > MAX_SETTLE_SECONDS) {
    throw new Error(`--settle-seconds must be a number from 0 to ${MAX_SETTLE_SECONDS}.`);
  }
  return seconds;
}
