import { describeError, TransientError } from '@truetally/messaging';

/** How a worker makes the effect of each fact once, although facts are delivered at least once. */
export interface Once<Client> {
  /**
   * Runs before the first fact.
   * @throws TransientError, and is called again until it succeeds; any other error ends the start
   */
  readonly prepare?: () => Promise<void>;
  /**
   * Runs `effect`, or leaves it out where it was made before.
   * @throws EffectError with the effect's own error as its cause; any other error counts as a failure of what it
   *   stands on, and is tried again for as long as it takes
   */
  make(fact: FactIdentity, effect: (client: Client) => Promise<void>): Promise<'made' | 'known'>;
}

/** Which fact of which worker. */
export interface FactIdentity {
  readonly group: string;
  /** Without prefix. */
  readonly topic: string;
  readonly id: string;
}

/** The effect failed, not what records it. */
export class EffectError extends Error {
  override readonly name = 'EffectError';
}

/** What the inbox needs of a client of `pg`. */
export interface SqlClient {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{
    readonly rowCount: number | null;
    /** As Postgres names what it did. */
    readonly command?: string;
  }>;
  on?(event: 'error', listener: (error: Error) => void): unknown;
  release(error?: Error | boolean): void;
}

/** What the inbox needs of a pool of `pg`. */
export interface SqlPool<Client extends SqlClient> {
  connect(): Promise<Client>;
  on?: {
    (event: 'error', listener: (error: Error) => void): unknown;
    (event: 'acquire', listener: (client: Client) => void): unknown;
  };
}

const CREATE = `create table if not exists truetally_inbox (
  worker text not null,
  topic text not null,
  fact_id text not null,
  handled_at timestamptz not null default now(),
  primary key (worker, topic, fact_id)
)`;
const EXISTS = `select 1 where to_regclass('truetally_inbox') is not null`;
const RECEIVE = `insert into truetally_inbox (worker, topic, fact_id) values ($1, $2, $3) on conflict do nothing`;

/**
 * The effect is a transaction of the reader's own Postgres, in which the fact is noted too: both are there, or neither.
 * The effect writes by the client that it gets, and does not commit. Creates its table `truetally_inbox` where there
 * is none; rows may be deleted when they are older than the topics' retention (docs/guides/workers.md).
 */
export function inbox<Client extends SqlClient>(pool: SqlPool<Client>): Once<Client> {
  outliveConnections(pool);
  return {
    prepare: async () => {
      try {
        const client = await pool.connect();
        await createTable(client).finally(() => client.release());
      } catch (error) {
        throw isPassing(error) ? new TransientError(describeError(error), { cause: error }) : error;
      }
    },
    make: async ({ group, topic, id }, effect) => {
      const client = await pool.connect();
      try {
        const outcome = await inTransaction(client, [group, topic, id], effect);
        client.release();
        return outcome;
      } catch (error) {
        // Its transaction may be open still: the connection is closed.
        client.release(true);
        if (!(error instanceof LostEffectError) || !(await answers(pool))) throw error;
        throw new EffectError(FAILED, { cause: error.cause });
      }
    },
  };
}

/** The connection was lost with an effect under way: by the effect, or with Postgres. */
class LostEffectError extends Error {
  override readonly name = 'LostEffectError';
}

/** Whether Postgres is there: then it was the effect that lost its connection, and would lose each one. */
async function answers<Client extends SqlClient>(pool: SqlPool<Client>): Promise<boolean> {
  try {
    const client = await pool.connect();
    await client.query('select 1').finally(() => client.release());
    return true;
  } catch {
    return false;
  }
}

/**
 * Postgres is away, starts, stops, is full or only read, or the system cannot reach it; a code of another class, such as a wrong
 * password or an unknown certificate, lasts.
 */
const PASSING_CODES = /^(08|25|40|53|57|E(?!RR_))/;
/** What the driver says without a code of a connection that is lost; what else it says, as of a missing password, lasts. */
const LOST_CONNECTION = /terminated|time(d )?out|connection (error|refused)|not queryable/i;

function isPassing(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === 'string' ? PASSING_CODES.test(code) : LOST_CONNECTION.test(describeError(error));
}

async function createTable(client: SqlClient): Promise<void> {
  const exists = async (): Promise<boolean> => (await client.query(EXISTS)).rowCount !== 0;
  // A user who may not create tables may use one that somebody has created.
  if (await exists()) return;
  try {
    await client.query(CREATE);
  } catch (error) {
    // Of workers that start at the same time one creates it, and Postgres refuses the others in spite of `if not exists`.
    if (!(await exists())) throw error;
  }
}

/**
 * A connection that breaks says so to its listeners besides, idle or with an effect under way, and without one that would end
 * the process. The next query on it reports the error anyway.
 */
function outliveConnections<Client extends SqlClient>(pool: SqlPool<Client>): void {
  const ignore = (): undefined => undefined;
  const heard = new WeakSet<SqlClient>();
  pool.on?.('error', ignore);
  pool.on?.('acquire', (client) => {
    if (heard.has(client)) return;
    heard.add(client);
    client.on?.('error', ignore);
  });
}

async function inTransaction<Client extends SqlClient>(
  client: Client,
  identity: readonly string[],
  effect: (client: Client) => Promise<void>,
): Promise<'made' | 'known'> {
  await client.query('begin');
  const { rowCount } = await client.query(RECEIVE, [...identity]);
  if (rowCount === 0) {
    await client.query('rollback');
    return 'known';
  }
  const lost = (cause: unknown): never => {
    throw new LostEffectError(describeError(cause), { cause });
  };
  try {
    await effect(client);
  } catch (cause) {
    await client.query('rollback').catch(() => lost(cause));
    throw new EffectError(FAILED, { cause });
  }
  const { command } = await client.query('commit').catch(lost);
  if (command === 'ROLLBACK') throw new EffectError(FAILED, { cause: new Error(NOT_COMMITTED) });
  return 'made';
}

const FAILED = 'The effect failed.';

/** Postgres answers the commit of a transaction in which a statement has failed like a success. */
const NOT_COMMITTED =
  'A statement of the effect failed and its error was caught, so that nothing of it is kept; a savepoint around it, or "on conflict", leaves the rest';

/**
 * The effect itself knows the fact again by its id: a row with a unique key, an idempotency key of another service. It
 * runs at least once for each fact.
 */
export function keyed(): Once<undefined> {
  return {
    make: async (_fact, effect) => {
      try {
        await effect(undefined);
      } catch (error) {
        throw new EffectError(FAILED, { cause: error });
      }
      return 'made';
    },
  };
}
