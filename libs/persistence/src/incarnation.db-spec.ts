import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import {
  appendToOutbox,
  currentIncarnation,
  type Incarnation,
  inTransaction,
  isOfThisDatabase,
  isRewound,
  markPublished,
  markRewound,
  OutboxRelay,
  type OutgoingFact,
  type Restore,
} from './index.js';
import { ThingsDatabase } from './testing/things.js';

let database: ThingsDatabase;

beforeAll(async () => {
  database = await ThingsDatabase.open(process.env['TEST_DATABASE_URL']);
});

beforeEach(async () => {
  await database.owner.query(`truncate ${table()}`);
});

afterAll(() => database.close());

const table = (name = 'incarnations') => `${database.migration.schema}.${name}`;
const current = (restore?: Restore): Promise<Incarnation> =>
  inTransaction(database.pool, (client) => currentIncarnation(client, restore));

/** Everything that a dump of the schema has, in a table of its own. */
async function restoreFromDump(): Promise<void> {
  const { owner, migration } = database;
  await owner.query(`create table ${table('dumped')} (like ${table()} including all)`);
  await owner.query(`insert into ${table('dumped')} select * from ${table()}`);
  await owner.query(`drop table ${table()}`);
  await owner.query(`alter table ${table('dumped')} rename to incarnations`);
  await owner.query(`grant select, insert, update on ${table()} to ${migration.role}`);
}

describe('the incarnation of a schema', () => {
  it('begins once, whoever asks first', async () => {
    const asked = await Promise.all(Array.from({ length: 8 }, () => current()));
    expect(new Set(asked.map(({ incarnation }) => incarnation)).size).toBe(1);
    expect(await current()).toEqual({ ...asked[0], isPublished: false, isRewound: true, isRestored: false });
  });

  it('remembers that everything is published', async () => {
    await markPublished(database.pool, await current());
    expect(await current()).toMatchObject({ isPublished: true });
    expect(await isOfThisDatabase(database.pool)).toBe(true);
  });

  it('an incarnation is followed by a higher one in a database that was restored from a dump', async () => {
    const before = await current();
    await markPublished(database.pool, before);
    await restoreFromDump();
    expect(await isOfThisDatabase(database.pool)).toBe(false);
    const after = await current();
    expect(after).toMatchObject({ isPublished: false, isRestored: true });
    expect(after.incarnation).toBeGreaterThan(before.incarnation);
    expect(await current()).toMatchObject({ incarnation: after.incarnation, isRestored: false });
  });

  it('an incarnation is followed by a higher one in another cluster or on another timeline', async () => {
    const before = await current();
    await database.owner.query(`update ${table()} set database = '1/00000001/1/1'`);
    expect((await current()).incarnation).toBeGreaterThan(before.incarnation);
  });

  it('an incarnation is followed by one for each reported restore, and none for a repeated report', async () => {
    const restoredTo = new Date('2026-03-01T12:00:00.000Z');
    const before = await current();
    const after = await current({ restoredTo });
    expect(after.incarnation).toBeGreaterThan(before.incarnation);
    expect(await current({ restoredTo })).toMatchObject({ incarnation: after.incarnation });
    const again = await current({ restoredTo: new Date('2026-03-01T11:00:00.000Z') });
    expect(again.incarnation).toBeGreaterThan(after.incarnation);
  });

  it('an incarnation says from its second on whether the readers of Kafka were set back', async () => {
    await current();
    expect(await isRewound(database.pool)).toBe(true);
    await database.owner.query(`update ${table()} set database = '1/00000001/1/1'`);
    expect(await isRewound(database.pool)).toBe(false);
    const restored = await current();
    expect([restored.isRewound, await isRewound(database.pool)]).toEqual([false, false]);
    await markRewound(database.pool, restored);
    expect([(await current()).isRewound, await isRewound(database.pool)]).toEqual([true, true]);
  });

  it('an incarnation is never lower than one that was published already', async () => {
    const { incarnation } = await current();
    expect(await current({ atLeast: incarnation })).toMatchObject({ incarnation });
    const atLeast = incarnation + 86_400_000;
    expect(await current({ atLeast })).toMatchObject({ incarnation: atLeast });
  });

  it('the incarnation of a schema is a header of each published fact', async () => {
    const published: OutgoingFact[] = [];
    const relay = new OutboxRelay({
      pool: database.pool,
      publisher: {
        publish: (facts) => Promise.resolve(void published.push(...facts)),
        ready: () => Promise.resolve(),
        close: () => Promise.resolve(),
      },
      isUndeliverable: () => false,
      isState: () => true,
      ownerOf: () => ({ siteId: null, workspaceId: null }),
      onSetAside: () => undefined,
      onError: () => undefined,
    });
    const { incarnation } = await current();
    const facts = [
      { topic: 't', key: 'there', value: '{}', headers: { n: '1' } },
      { topic: 't', key: 'gone', value: null },
    ];
    await inTransaction(database.pool, (client) => appendToOutbox(client, facts));
    relay.start();
    try {
      await eventually(() => published.length === 2);
    } finally {
      await relay.stop();
    }
    expect(published.map(({ headers }) => headers)).toEqual([
      { n: '1', incarnation: String(incarnation) },
      { incarnation: String(incarnation) },
    ]);
  });
});
