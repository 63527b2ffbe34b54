import type { ClientBase, Pool, PoolClient } from 'pg';
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
const KEEP = '7 days';
const MAX_FORGOTTEN_AT_ONCE = 1_000;
/** Prepared once per connection: every command runs all three, and planning them costs more than they do. */
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
  const known = await client.query<{ reply: R }>({ ...FIND, values: [correlationId] });
  const first = known.rows[0];
  if (first !== undefined) return first.reply;
  const reply = await work();
  await client.query({ ...KEEP_REPLY, values: [correlationId, JSON.stringify(reply)] });
  return reply;
}

/** One statement, or several: all of them sent when it is called. */
export type Write = (client: ClientBase) => Promise<unknown>;

/** What a command came to. */
export interface CarriedOut<R> {
  readonly reply: R;
  /** What is still to be written, in this order; nothing waits for it but the commit. */
  readonly writes: readonly Write[];
}

/**
 * The same with the transaction around it, for a pool that pipelines: whatever need not wait for an answer travels
 * together, so that the work costs its own round trips and two.
 */
export function commandOnce<R>(
  pool: Pool,
  correlationId: string,
  carryOut: (client: PoolClient) => Promise<CarriedOut<R>>,
): Promise<R> {
  return transact(pool, async (client) => {
    const values = [correlationId];
    // Nothing here writes: should the `begin` alone fail, nothing has happened.
    const [, , known] = await Promise.all([
      client.query('begin'),
      client.query({ ...LOCK, values }),
      client.query<{ reply: R }>({ ...FIND, values }),
    ]);
    const [first] = known.rows;
    const { reply, writes } =
      first === undefined ? keeping(correlationId, await carryOut(client)) : { ...first, writes: [] };
    // Should one of them fail, the commit behind it is a rollback.
    await Promise.all([...writes.map((write) => write(client)), client.query('commit')]);
    return reply;
  });
}

function keeping<R>(correlationId: string, { reply, writes }: CarriedOut<R>): CarriedOut<R> {
  const values = [correlationId, JSON.stringify(reply)];
  return { reply, writes: [(client) => client.query({ ...KEEP_REPLY, values }), ...writes] };
}

/**
 * A step of a job, in a transaction of its own: asked for again under the same name, nothing is done and the first
 * report is given. Old reports are forgotten here and not by the clock: only steps leave some behind, one at a time.
 */
export function stepOnce<R>(pool: Pool, name: string, step: (client: ClientBase) => Promise<R>): Promise<R> {
  return inTransaction(pool, async (client) => {
    const report = await once(client, name, () => step(client));
    await forgetOldReplies(client);
    return report;
  });
}

/** Removes a bounded number of rows that nothing can ask for any more. */
export async function forgetOldReplies(client: Pick<ClientBase, 'query'>): Promise<void> {
  await client.query(
    `delete from inbox where correlation_id in (
       select correlation_id from inbox where received_at < now() - interval '${KEEP}' limit ${MAX_FORGOTTEN_AT_ONCE})`,
  );
}
