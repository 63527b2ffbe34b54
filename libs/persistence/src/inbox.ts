import { REMEMBERED_DAYS } from '@truetally/kernel';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { deleteOlder } from './delete-older.js';
import { PipelinedBegin } from './pipelined-begin.js';
import { inTransaction, transact } from './transactions.js';

/** For a service's first migration; the service role needs SELECT, INSERT and DELETE. */
export const INBOX_TABLE_SQL = `
  create table inbox (
    correlation_id text primary key,
    reply json not null,
    received_at timestamptz not null default now()
  );
  create index inbox_received_at on inbox (received_at)`;

/** Longer than any broker redelivers; older rows are useless. */
const KEEP = `${REMEMBERED_DAYS} days`;
/** Prepared once per connection: planning costs more than execution. */
const LOCK = {
  name: 'inbox-lock',
  text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
};
const FIND = { name: 'inbox-find', text: 'select reply from inbox where correlation_id = $1' };
const KEEP_REPLY = {
  name: 'inbox-keep',
  text: 'insert into inbox (correlation_id, reply) values ($1, $2)',
};

async function firstReply<R>(
  client: Pick<ClientBase, 'query'>,
  correlationId: string,
): Promise<{ readonly reply: R } | undefined> {
  const { rows } = await client.query<{ reply: R }>({ ...FIND, values: [correlationId] });
  return rows[0];
}

/** One or more statements, all sent when it is called. */
export type Write = (client: ClientBase) => Promise<unknown>;

/** The outcome of a command. */
export interface CarriedOut<R> {
  readonly reply: R;
  /** Pending writes, in this order; only the commit waits for them. */
  readonly writes: readonly Write[];
  /**
   * False for an outcome that holds only at this moment: nothing is written, and a redelivery tries again.
   */
  readonly isKept?: boolean;
}

/**
 * Executes a command in a transaction, once however often it is delivered: its reply is stored in the transaction,
 * and must not contain a secret. `begin` travels with the first statement, and on a pool that pipelines `commit` with
 * the last, so that a command costs the round trips of its work plus one. It does not look for an earlier
 * delivery. A redelivery repeats the work, violates the unique index of stored replies, is rolled
 * back, and returns the stored reply; a concurrent one waits there for the other's commit.
 */
export async function commandOnce<R>(
  pool: Pool,
  correlationId: string,
  carryOut: (client: PoolClient) => Promise<CarriedOut<R>>,
): Promise<R> {
  try {
    return await transact(pool, async (connection) => {
      const begin = new PipelinedBegin(connection);
      const carriedOut = await carryOut(begin.client);
      const { reply, writes } = keeping(correlationId, carriedOut);
      await begin.done();
      if (carriedOut.isKept === false) {
        await connection.query('rollback');
        return (await firstReply<R>(connection, correlationId))?.reply ?? reply;
      }
      // If one of them fails, the commit after it is a rollback.
      await Promise.all([...writes.map((write) => write(connection)), connection.query('commit')]);
      return reply;
    });
  } catch (error) {
    const first = await firstReply<R>(pool, correlationId).catch(nothingFound);
    if (first === undefined) throw error;
    return first.reply;
  }
}

/** Postgres is unavailable: the earlier error explains it better. */
function nothingFound(): undefined {
  return undefined;
}

function keeping<R>(correlationId: string, { reply, writes }: CarriedOut<R>): CarriedOut<R> {
  const values = [correlationId, JSON.stringify(reply)];
  return { reply, writes: [(client) => client.query({ ...KEEP_REPLY, values }), ...writes] };
}

/** Identifies a job step, with the cursor of the request. */
export interface AskedStep {
  readonly name: string;
  readonly cursor: string | null;
}

/**
 * A job step in a transaction of its own. Repeated under the same name, it does nothing and returns the first
 * report. A report that repeats the requested cursor would make the job loop: such a report is refused. Old reports are deleted here instead of by a timer: only steps create them, one at a
 * time.
 */
export function stepOnce<R extends { readonly cursor: string | null }>(
  pool: Pool,
  { name, cursor }: AskedStep,
  step: (client: ClientBase) => Promise<R>,
): Promise<R> {
  return inTransaction(pool, async (client) => {
    await client.query({ ...LOCK, values: [name] });
    const first = await firstReply<R>(client, name);
    if (first !== undefined) return first.reply;
    const report = await step(client);
    if (cursor !== null && report.cursor === cursor) {
      throw new Error('The report of a step names the place that it was asked for.');
    }
    await client.query({ ...KEEP_REPLY, values: [name, JSON.stringify(report)] });
    await forgetOldReplies(client);
    return report;
  });
}

/**
 * Deletes a bounded number of rows that can no longer be requested.
 * @returns whether there may be more
 */
export function forgetOldReplies(client: Pick<ClientBase, 'query'>): Promise<boolean> {
  return deleteOlder(client, { table: 'inbox', key: 'correlation_id', time: 'received_at', keep: KEEP });
}
