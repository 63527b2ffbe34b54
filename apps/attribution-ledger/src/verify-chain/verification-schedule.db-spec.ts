import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ChainPieceStore } from '../storage/chain-piece.store.js';
import { VerificationStore } from '../storage/verification.store.js';
import { checkLedger } from '../testing/check-ledger.js';
import { aPurchase, itemOf } from '../testing/commands.js';
import { type LedgerDatabase, openLedgerDatabase, type Replica } from '../testing/ledger-database.js';
import { aChain, change } from '../testing/verified-chains.js';
import { ChainVerifier } from './chain-verifier.js';
import { VerificationSchedule } from './verification-schedule.js';

const STARTED_AT = '2026-03-01T00:00:00.000Z';
const TIMES = { firstAfterSeconds: 0, newerAfterSeconds: 3_600, wholeAfterSeconds: 86_400 };

let database: LedgerDatabase;
let replica: Replica;
let results: VerificationStore;

beforeAll(async () => {
  database = await openLedgerDatabase();
  replica = database.replica();
  results = new VerificationStore(replica.pool);
  await database.owner.query('alter table records disable trigger user');
});

afterAll(() => database.close());

describe('the schedule of verifications', () => {
  const schedule = (
    onBroken: (chains: number) => void = () => undefined,
    ended: string[] = [],
    times = TIMES,
  ) => {
    const { pool } = database.replica();
    const store = new VerificationStore(pool);
    const observer = {
      verified: () => undefined,
      ended: (_siteId: string, broken: unknown) => void ended.push(broken === null ? 'sound' : 'broken'),
    };
    const verifier = new ChainVerifier(new ChainPieceStore(pool, 2), store, observer);
    const log = { warn: () => undefined };
    return new VerificationSchedule({ verifier, results: store, log, times, onBroken });
  };
  const rangeOf = async (siteId: string) => {
    const { last } = await results.read(siteId);
    return last === null ? null : [last.from_sequence, last.to_sequence];
  };
  const overdue = (siteId: string, column: string) =>
    database.owner.query(`update chain_verifications set ${column} = now() where site_id = $1`, [siteId]);

  it('a new chain is verified as a whole, then what was added when it is time, then the whole again', async () => {
    const siteId = await aChain(replica);
    await schedule().look();
    expect(await rangeOf(siteId)).toEqual(['1', '8']);
    await replica.ledger.record([itemOf(siteId, aPurchase())]);
    await schedule().look();
    expect(await rangeOf(siteId)).toEqual(['1', '8']);
    await overdue(siteId, 'newer_due_at');
    await schedule().look();
    expect(await rangeOf(siteId)).toEqual(['9', '9']);
    await overdue(siteId, 'whole_due_at');
    await schedule().look();
    expect(await rangeOf(siteId)).toEqual(['1', '9']);
  });

  it('a new chain is not verified while its first records may still be coming, and then as a whole', async () => {
    const siteId = await aChain(replica);
    const later = schedule(undefined, [], { ...TIMES, firstAfterSeconds: 600 });
    await later.look();
    expect(await rangeOf(siteId)).toBeNull();
    await overdue(siteId, 'newer_due_at');
    await overdue(siteId, 'whole_due_at');
    await later.look();
    expect(await rangeOf(siteId)).toEqual(['1', '8']);
    await later.look();
    expect(await rangeOf(siteId)).toEqual(['1', '8']);
  });

  it('several replicas verify each due chain a single time', async () => {
    for (let n = 0; n < 5; n++) await aChain(replica);
    await schedule().look();
    const sites = [await aChain(replica), await aChain(replica), await aChain(replica)];
    const ended: string[] = [];
    const replicas = Array.from({ length: 3 }, () => schedule(undefined, ended));
    await Promise.all(replicas.map((one) => one.look()));
    expect(ended).toEqual(sites.map(() => 'sound'));
    for (const siteId of sites) expect(await rangeOf(siteId)).toEqual(['1', '8']);
  });

  it('a verification of a killed replica is continued where its last piece ended', async () => {
    const siteId = await aChain(replica);
    const place = {
      sequence: '6',
      hash: (await checkLedger(database.owner, siteId))[5]?.hash ?? '',
      recordedAt: '',
    };
    await database.owner.query(
      `insert into chain_verifications (site_id, run, is_whole_run, leased_until) values ($1, $2, true, now() + interval '1 minute')`,
      [siteId, { from: '1', place, startedAt: STARTED_AT }],
    );
    await schedule().look();
    expect(await rangeOf(siteId)).toBeNull();
    await overdue(siteId, 'leased_until');
    await schedule().look();
    const { last } = await results.read(siteId);
    expect(last).toMatchObject({ from_sequence: '1', to_sequence: '8', started_at: STARTED_AT });
  });

  it('the number of broken chains is observed after each look', async () => {
    const siteId = await aChain(replica);
    const counts: number[] = [];
    await schedule((chains) => counts.push(chains)).look();
    await change(database.owner, siteId, `reason = 'other'`, 2);
    await overdue(siteId, 'whole_due_at');
    await schedule((chains) => counts.push(chains)).look();
    expect(Number(counts[1]) - Number(counts[0])).toBe(1);
    expect((await results.read(siteId)).broken?.sequence).toBe('2');
  });
});
