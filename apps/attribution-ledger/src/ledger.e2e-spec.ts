import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TOPICS } from '@truetally/contracts/topics';
import {
  eventually,
  dependenciesAnswer,
  type LocalPostgres,
  type LocalService,
  removePostgresData,
  startPostgres,
} from '@truetally/testing';
import { checkLedger, type StoredRecord } from './testing/check-ledger.js';
import { type LedgerDatabase, openLedgerDatabase } from './testing/ledger-database.js';
import { accepted, type LedgerProcesses, openLedgerProcesses } from './testing/ledger-processes.js';
import { whatTheLedgerAnswers } from './testing/ledger-suite.js';
import { whatALongOrderIs } from './testing/long-order-suite.js';
import { ShopLoad } from './testing/shop-load.js';

/** Some of each client. */
const SOME_ANSWERS = 60;
const RETRIES_AT_ONCE = 32;

let folder: string;
let postgres: LocalPostgres;
let database: LedgerDatabase;
let processes: LedgerProcesses;
let replicas: readonly [LocalService, LocalService];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truetally-ledger-'));
  postgres = await startPostgres({ dataDir: join(folder, 'postgres'), user: 'owner', password: 'owner' });
  database = await openLedgerDatabase(postgres.url);
  processes = await openLedgerProcesses(database);
  replicas = await Promise.all([processes.startReplica(), processes.startReplica()]);
});

afterAll(async () => {
  await processes.close();
  await database.close();
  await postgres.stop();
  await removePostgresData(postgres.dataDir);
  await rm(folder, { recursive: true, force: true });
});

/**
 * Every answered command is in the ledger once, gets the same answer again, and was published; every chain is
 * valid.
 */
async function expectTheTruth(load: ShopLoad): Promise<void> {
  expect(load.unexpected).toEqual([]);
  const records: StoredRecord[] = [];
  // Late touches are matched first, so that the results do not change during the following checks.
  await eventually(async () => (await waitingTouches()) === 0);
  for (const siteId of load.siteIds) records.push(...(await checkLedger(database.owner, siteId)));
  const byKey = new Map(records.map((record) => [record.idempotency_key, record]));
  for (const [key, { answers }] of load.told) {
    expect(new Set(answers.map(({ record_id }) => record_id))).toEqual(new Set([byKey.get(key)?.record_id]));
    expect(answers.filter(({ deduplicated }) => !deduplicated).length).toBeLessThanOrEqual(1);
  }
  const asked = records.filter(({ event_type }) => event_type !== 'commission');
  expect(asked).toHaveLength(load.told.size);
  await expectSameAgain(load);
  await eventually(
    () => {
      const published = new Set(
        processes.facts
          .filter(({ topic }) => topic === TOPICS.conversionsRecorded.name)
          .map(({ headers }) => headers['fact-id']),
      );
      return records.every(({ record_id }) => published.has(record_id ?? ''));
    },
    { message: 'a fact for every record' },
  );
}

async function waitingTouches(): Promise<number> {
  const { rows } = await database.owner.query<{ n: number }>(
    'select count(*)::int as n from awaited_touches join touches using (site_id, touch_id)',
  );
  return rows[0]?.n ?? 0;
}

async function expectSameAgain(load: ShopLoad): Promise<void> {
  const told = [...load.told.values()];
  for (let start = 0; start < told.length; start += RETRIES_AT_ONCE) {
    const some = told.slice(start, start + RETRIES_AT_ONCE);
    const again = await Promise.all(some.map(({ siteId, command }) => processes.convert(siteId, command)));
    const expected = some.map(({ answers: [first] }) => ({ ...first, deduplicated: true }));
    expect(again.map((reply) => accepted(reply))).toEqual(expected);
  }
}

whatTheLedgerAnswers(() => processes);
whatALongOrderIs(() => ({ database, processes }));

describe('the ledger under faults', () => {
  it('contains every answered command once, with replicas killed at any moment', async () => {
    const load = new ShopLoad(processes);
    await load.more(SOME_ANSWERS);
    await replicas[0].kill();
    await load.more(SOME_ANSWERS);
    await replicas[1].kill();
    // What comes now is for the restarted ones alone.
    await Promise.all([replicas[0].restart(), replicas[1].restart()]);
    await load.more(SOME_ANSWERS);
    await load.stop();
    await expectTheTruth(load);
  });

  it('contains every answered command once, with Postgres killed at any moment', async () => {
    const load = new ShopLoad(processes);
    await load.more(SOME_ANSWERS);
    await postgres.kill();
    await eventually(async () => !(await dependenciesAnswer(replicas[0].operationsPort)));
    await postgres.restart();
    await load.more(SOME_ANSWERS);
    await load.stop();
    await expectTheTruth(load);
  });
});
