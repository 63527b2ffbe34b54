import { REMEMBERED_DAYS } from '@truetally/kernel';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { Beginning } from './beginning.js';
import { inTransaction, transact } from './transactions.js';

/** For a service's first migration; the service role needs SELECT, INSERT and DELETE. */
export const INBOX_TABLE_SQL = `
  create table inbox (
    correlation_id text primary key,
    reply json not null,
    received_at timestamptz not null default now()
  );
  create index inbox_received_at on inbox (received_at)`;

/** Longer than any broker keeps redelivering; after it a row is only weight. */
const KEEP = `${REMEMBERED_DAYS} days`;
const MAX_FORGOTTEN_AT_ONCE = 1_000;
/** Prepared once per connection: planning them costs more than they do. */
const LOCK = {
  name: 'inbox-lock',
  text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
};
const FIND = { name: 'inbox-find', text: 'select reply from inbox where correlation_id = $1' };
const KEEP_REPLY = {
  name: 'inbox-keep',
  text: 'insert into inbox (correlation_id, reply) values ($1, $2)',
};

/**
 * Makes a command idempotent under redelivery: the first delivery's reply is stored in its own transaction, and a
 * redelivery answers it again without doing the work. A concurrent twin waits for the lock, then answers alike.
 * Replies that are kept must hold no secret.
 */
export async function once<R>(client: ClientBase, correlationId: string, work: () => Promise<R>): Promise<R> {
  await client.query({ ...LOCK, values: [correlationId] });
  const first = await firstReply<R>(client, correlationId);
  if (first !== undefined) return first.reply;
  const reply = await work();
  await client.query({ ...KEEP_REPLY, values: [correlationId, JSON.stringify(reply)] });
  return reply;
}

async function firstReply<R>(
  client: Pick<ClientBase, 'query'>,
  correlationId: string,
): Promise<{ readonly reply: R } | undefined> {
  const { rows } = await client.query<{ reply: R }>({ ...FIND, values: [correlationId] });
  return rows[0];
}

/** One statement, or several: all of them sent when it is called. */
export type Write = (client: ClientBase) => Promise<unknown>;

/** What a command came to. */
export interface CarriedOut<R> {
  readonly reply: R;
  /** What is still to be written, in this order; nothing waits for it but the commit. */
  readonly writes: readonly Write[];
  /** False for what is so at this moment only: nothing is written, and a redelivery tries anew. */
  readonly isKept?: boolean;
}

/**
 * The same with the transaction around it, for a pool that pipelines: the `begin` travels with the first statement of the
 * work and the `commit` with the last, so that the work costs its own round trips and one. A redelivery is not looked
 * for: it does the work once more, is stopped by the reply that is kept already, rolled back, and answered that.
 */
export async function commandOnce<R>(
  pool: Pool,
  correlationId: string,
  carryOut: (client: PoolClient) => Promise<CarriedOut<R>>,
): Promise<R> {
  try {
    return await transact(pool, async (connection) => {
      const beginning = new Beginning(connection);
      const carriedOut = await carryOut(beginning.client);
      const { reply, writes } = keeping(correlationId, carriedOut);
      await beginning.done();
      if (carriedOut.isKept === false) {
        await connection.query('rollback');
        return (await firstReply<R>(connection, correlationId))?.reply ?? reply;
      }
      // Should one of them fail, the commit behind it is a rollback.
      await Promise.all([...writes.map((write) => write(connection)), connection.query('commit')]);
      return reply;
    });
  } catch (error) {
    const first = await firstReply<R>(pool, correlationId).catch(nothingFound);
    if (first === undefined) throw error;
    return first.reply;
  }
}

/** Postgres is away: what failed before says so better. */
function nothingFound(): undefined {
  return undefined;
}

function keeping<R>(correlationId: string, { reply, writes }: CarriedOut<R>): CarriedOut<R> {
  const values = [correlationId, JSON.stringify(reply)];
  return { reply, writes: [(client) => client.query({ ...KEEP_REPLY, values }), ...writes] };
}

/** What a step of a job is remembered by, and where it was asked to go on. */
export interface AskedStep {
  readonly name: string;
  readonly cursor: string | null;
}

/**
 * A step of a job, in a transaction of its own: asked for again under the same name, nothing is done and the first
 * report is given. A report that names the place that was asked for would be given for ever: such a one is refused, and
 * one that was kept is worth nothing. Old reports are forgotten here and not by the clock: only steps leave some behind,
 * one at a time.
 */
export function stepOnce<R extends { readonly cursor: string | null }>(
  pool: Pool,
  { name, cursor }: AskedStep,
  step: (client: ClientBase) => Promise<R>,
): Promise<R> {
  const goesOn = (report: R): boolean => cursor === null || report.cursor !== cursor;
  return inTransaction(pool, async (client) => {
    await client.query({ ...LOCK, values: [name] });
    const first = await firstReply<R>(client, name);
    if (first !== undefined && goesOn(first.reply)) return first.reply;
    if (first !== undefined) await client.query('delete from inbox where correlation_id = $1', [name]);
    const report = await step(client);
    if (!goesOn(report)) throw new Error('The report of a step names the place that it was asked for.');
    await client.query({ ...KEEP_REPLY, values: [name, JSON.stringify(report)] });
    await forgetOldReplies(client);
    return report;
  });
}

/**
 * Removes a bounded number of rows that nothing can ask for any more.
 * @returns whether there may be others
 */
export async function forgetOldReplies(client: Pick<ClientBase, 'query'>): Promise<boolean> {
  const { rowCount } = await client.query(
    `delete from inbox where correlation_id in (
       select correlation_id from inbox where received_at < now() - interval '${KEEP}' limit ${MAX_FORGOTTEN_AT_ONCE})`,
  );
  return rowCount === MAX_FORGOTTEN_AT_ONCE;
}
