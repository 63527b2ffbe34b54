import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isTransient } from '@truetally/persistence';
import { testStack } from '@truetally/testing';
import pg from 'pg';
import { checkLedger } from '../testing/check-ledger.js';
import { anAdjustment, aPurchase, itemOf } from '../testing/commands.js';
import { type LedgerDatabase, openLedgerDatabase, type Replica } from '../testing/ledger-database.js';
import { touchErasure } from './touch-erasure.js';

const LIVE = `restored_${randomUUID().replaceAll('-', '')}`;
const COPY = `${LIVE}_copy`;
let superuser: pg.Client;
let database: LedgerDatabase;
/** Lives through the whole test, like a process of the service. */
let replica: Replica;

beforeAll(async () => {
  const { databaseUrl } = testStack();
  superuser = new pg.Client({ connectionString: databaseUrl });
  await superuser.connect();
  await superuser.query(`create database ${LIVE}`);
  const url = new URL(databaseUrl);
  url.pathname = `/${LIVE}`;
  database = await openLedgerDatabase(url.href);
  replica = database.replica();
});

afterAll(async () => {
  await database.close();
  await superuser.query(`drop database if exists ${LIVE} with (force)`);
  await superuser.query(`drop database if exists ${COPY} with (force)`);
  await superuser.end();
});

async function withoutConnections(statements: readonly string[]): Promise<void> {
  await superuser.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
    [LIVE],
  );
  for (const statement of statements) await superuser.query(statement);
}

const copyDatabase = (): Promise<void> => withoutConnections([`create database ${COPY} template ${LIVE}`]);
const restoreCopy = (): Promise<void> =>
  withoutConnections([`drop database ${LIVE} with (force)`, `alter database ${COPY} rename to ${LIVE}`]);

/** After a cut connection the call is retried, like a message. */
async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
  }
}

const kindsOf = async (...items: readonly ReturnType<typeof itemOf>[]): Promise<readonly string[]> =>
  (await untilDone(() => replica.ledger.record(items))).outcomes.map(({ kind }) => kind);
const mark = (siteId: string): Promise<unknown> =>
  untilDone(() => touchErasure(replica.pool).step(randomUUID(), siteId, null));

describe('a Postgres that is restored to an earlier point under a process that lives on', () => {
  it('a restored Postgres is the only truth: later chains and erasures in memory are discarded', async () => {
    const [known, later, erased, erasedLater, erasedAgain] = Array.from({ length: 5 }, () => randomUUID());
    if (known === undefined || later === undefined || erased === undefined) throw new Error('Too few sites.');
    if (erasedLater === undefined || erasedAgain === undefined) throw new Error('Too few sites.');
    const first = aPurchase();
    expect(await kindsOf(itemOf(known, first))).toEqual(['accepted']);
    await mark(erased);
    await copyDatabase();

    // The copy lacks a longer chain, a new chain, and an erasure that both stores have seen.
    const lost = anAdjustment({ orderId: first.orderId });
    expect(await kindsOf(itemOf(known, lost), itemOf(later, aPurchase()))).toEqual(['accepted', 'accepted']);
    await mark(erasedLater);
    expect(await kindsOf(itemOf(erasedLater, aPurchase()), itemOf(erased, aPurchase()))).toEqual([
      'refused',
      'refused',
    ]);
    await restoreCopy();

    // The same generation number is reused, for another site.
    await mark(erasedAgain);
    expect(await kindsOf(itemOf(erasedAgain, aPurchase()), itemOf(erased, aPurchase()))).toEqual([
      'refused',
      'refused',
    ]);
    expect(await kindsOf(itemOf(erasedLater, aPurchase()))).toEqual(['accepted']);
    // The chain that began after the copy starts again, and the other one continues from the copy's end.
    expect(await kindsOf(itemOf(later, aPurchase()), itemOf(known, lost))).toEqual(['accepted', 'accepted']);
    expect(await checkLedger(database.owner, later)).toHaveLength(1);
    expect(await checkLedger(database.owner, known)).toHaveLength(2);
  });
});
