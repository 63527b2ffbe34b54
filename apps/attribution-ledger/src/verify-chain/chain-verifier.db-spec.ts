import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  FIRST_PREVIOUS_HASH,
  RECORD_COLUMNS,
  type SealedFields,
  sealOf,
  VERIFY_CHAIN,
} from '@truetally/contracts/attribution';
import { Metrics } from '@truetally/platform';
import { observeVerification } from '../metrics.js';
import { RunVerificationStepHandler } from '../run-verification-step/run-verification-step.handler.js';
import { ChainPieceStore } from '../storage/chain-piece.store.js';
import { VerificationStore } from '../storage/verification.store.js';
import { checkLedger } from '../testing/check-ledger.js';
import { type LedgerDatabase, openLedgerDatabase, type Replica } from '../testing/ledger-database.js';
import { aPurchase, itemOf } from '../testing/commands.js';
import { aChain, change } from '../testing/verified-chains.js';
import { ChainVerifier, runFrom } from './chain-verifier.js';

const RECORDS = 8;
/** The manipulated record, in the middle of its chain and of its order. */
const MIDDLE = 5;
const STARTED_AT = '2026-03-01T00:00:00.000Z';

let database: LedgerDatabase;
let replica: Replica;
let results: VerificationStore;

beforeAll(async () => {
  database = await openLedgerDatabase();
  replica = database.replica();
  results = new VerificationStore(replica.pool);
  await putDownTheGuards();
});

afterAll(() => database.close());

/** What only the owner of the database can do. */
async function putDownTheGuards(): Promise<void> {
  const { rows } = await database.owner.query<{ conname: string }>(
    `select conname from pg_constraint where conrelid = 'records'::regclass and contype in ('c', 'p', 'u')`,
  );
  const drops = rows.map(({ conname }) => `drop constraint "${conname}"`).join(', ');
  await database.owner.query(`alter table records disable trigger user; alter table records ${drops}`);
  await database.owner.query('drop index records_order, records_idempotency_key');
  await database.owner.query('create index records_order on records (conversion_id, order_sequence)');
  await database.owner.query('create index records_chain on records (site_id, chain_sequence)');
  for (const column of [...RECORD_COLUMNS, 'previous_hash', 'hash']) {
    await database.owner.query(`alter table records alter column ${column} drop not null`);
  }
}

/** Verifies from a position to the end or the first broken record. @returns the number of pieces */
async function verify(siteId: string, from = '1', pieceRecords = 3): Promise<number> {
  const observer = { verified: () => undefined, ended: () => undefined };
  const verifier = new ChainVerifier(new ChainPieceStore(replica.pool, pieceRecords), results, observer);
  let run = runFrom(from, STARTED_AT);
  for (let pieces = 1; ; pieces++) {
    const next = await verifier.next(siteId, run);
    if (next.isEnded) return pieces;
    run = next.run;
  }
}

/** Another value of the column's type. */
const OTHER_VALUES: Readonly<Record<string, string>> = {
  uuid: `'00000000-0000-4000-8000-000000000000'`,
  text: `coalesce({column}, '') || 'x'`,
  integer: 'coalesce({column}, 0) + 1',
  bigint: 'coalesce({column}, 0) + 1',
  'numeric(38,0)': 'coalesce({column}, 0) + 1',
  json: `(coalesce({column}, 'null')::text || ' ')::json`,
  'timestamp with time zone': `{column} + interval '1 millisecond'`,
  'timestamp(3) with time zone': `{column} + interval '1 millisecond'`,
};

async function otherValue(column: string): Promise<string> {
  const { rows } = await database.owner.query<{ type: string }>(
    `select format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = 'records'::regclass and attname = $1`,
    [column],
  );
  const expression = OTHER_VALUES[String(rows[0]?.type)];
  if (expression === undefined) throw new Error(`${column} is of the unforeseen type ${rows[0]?.type}`);
  return expression.replaceAll('{column}', column);
}

/** Seals the records from a position on again, and moves the head, as somebody with all rights can. */
async function sealAgain(siteId: string, from: number): Promise<void> {
  const columns = RECORD_COLUMNS.map((column) => `${column}::text`).join(', ');
  const { rows } = await database.owner.query<SealedFields & { hash: string }>(
    `select ${columns}, hash from records r where site_id = $1 order by r.chain_sequence`,
    [siteId],
  );
  let before = rows[from - 2]?.hash ?? FIRST_PREVIOUS_HASH;
  for (const row of rows.slice(from - 1)) {
    const hash = sealOf(before, row);
    await change(
      database.owner,
      siteId,
      `previous_hash = '${before}', hash = '${hash}'`,
      Number(row.chain_sequence),
    );
    before = hash;
  }
  await database.owner.query('update chain_heads set hash = $2 where site_id = $1', [siteId, before]);
}

describe('a verification of a chain', () => {
  it('a chain is sound when another run verifies newer records of it while a piece is read', async () => {
    const siteId = await aChain(replica);
    let isReading = false;
    const moved = Promise.withResolvers<null>();
    class Pieces extends ChainPieceStore {
      override async read(...asked: Parameters<ChainPieceStore['read']>) {
        isReading = true;
        const piece = await super.read(...asked);
        await replica.ledger.record([itemOf(siteId, aPurchase())]);
        await verify(siteId);
        moved.resolve(null);
        return piece;
      }
    }
    class Results extends VerificationStore {
      override async read(asked: string) {
        if (isReading) await moved.promise;
        return super.read(asked);
      }
    }
    const { pool } = replica;
    const observer = { verified: () => undefined, ended: () => undefined };
    const verifier = new ChainVerifier(new Pieces(pool, 100), new Results(pool), observer);
    expect((await verifier.next(siteId, runFrom('1', STARTED_AT))).piece).toMatchObject({ broken: null });
    expect((await results.read(siteId)).broken).toBeNull();
  });

  it('a broken record is named in the log also when a merchant asked for the verification that finds it', async () => {
    const siteId = await aChain(replica);
    await change(database.owner, siteId, `reason = 'other'`, MIDDLE);
    const errors: unknown[] = [];
    const log = { error: (...said: readonly unknown[]) => void errors.push(...said) };
    const observer = observeVerification(new Metrics('attribution-ledger'), log);
    const verifier = new ChainVerifier(new ChainPieceStore(replica.pool), results, observer);
    const steps = new RunVerificationStepHandler(verifier, results);
    const params = { site_id: siteId, from_sequence: '1' };
    await steps.handle({ job_id: randomUUID(), step: VERIFY_CHAIN, params, cursor: null });
    expect(errors).toEqual([
      expect.objectContaining({ site_id: siteId, sequence: String(MIDDLE), reason: expect.any(String) }),
      'A record of the ledger is broken.',
    ]);
  });

  it('a sound chain is verified in pieces of any size, and the result is kept', async () => {
    const siteId = await aChain(replica);
    const records = await checkLedger(database.owner, siteId);
    expect((await results.read(siteId)).last).toBeNull();
    for (const size of [1, 2, 3, RECORDS, 100]) {
      expect(await verify(siteId, '1', size)).toBe(Math.floor(RECORDS / size) + 1);
      expect(await results.read(siteId)).toMatchObject({
        broken: null,
        last: { from_sequence: '1', to_sequence: '8', to_hash: records.at(-1)?.hash, started_at: STARTED_AT },
        sound: { sequence: '8', hash: records.at(-1)?.hash },
      });
    }
    await verify(siteId, '4');
    expect((await results.read(siteId)).last).toMatchObject({ from_sequence: '4', to_sequence: '8' });
  });

  it('a chain without records is sound', async () => {
    const siteId = randomUUID();
    await verify(siteId);
    expect(await results.read(siteId)).toMatchObject({
      head: null,
      broken: null,
      last: { from_sequence: '1', to_sequence: '0', to_hash: FIRST_PREVIOUS_HASH },
    });
  });

  it.each([...RECORD_COLUMNS, 'previous_hash', 'hash'])(
    '%s of one record, changed, is found',
    async (column) => {
      const siteId = await aChain(replica);
      await change(database.owner, siteId, `${column} = ${await otherValue(column)}`, MIDDLE);
      await verify(siteId);
      const { broken } = await results.read(siteId);
      expect(broken?.reason).toEqual(expect.any(String));
      // A moved record is missing where it was.
      const isMoved = column === 'site_id' || column === 'chain_sequence';
      expect(broken?.sequence).toBe(isMoved ? '6' : String(MIDDLE));
      await database.owner.query(
        `delete from records where site_id = '00000000-0000-4000-8000-000000000000'`,
      );
    },
  );

  it.each<[string, (siteId: string) => readonly string[], string]>([
    [
      'a record taken out',
      (site) => [`delete from records where site_id = '${site}' and chain_sequence = 5`],
      '6',
    ],
    [
      'the last record cut off',
      (site) => [`delete from records where site_id = '${site}' and chain_sequence = 8`],
      '8',
    ],
    [
      'a record twice',
      (site) => [
        `insert into records select * from records where site_id = '${site}' and chain_sequence = 3`,
      ],
      '3',
    ],
    [
      'a head that moved back',
      (site) => [`update chain_heads set chain_sequence = 7 where site_id = '${site}'`],
      '9',
    ],
    ['a head taken away', (site) => [`delete from chain_heads where site_id = '${site}'`], '9'],
  ])('%s is found', async (_what, statementsOf, sequence) => {
    const siteId = await aChain(replica);
    for (const statement of statementsOf(siteId)) await database.owner.query(statement);
    await verify(siteId);
    expect((await results.read(siteId)).broken?.sequence).toBe(sequence);
  });

  it.each([
    [
      'a balance',
      `receivable_balance = receivable_balance + 1, merchandise_balance = merchandise_balance - 1`,
    ],
    ['an order that is not its own', `conversion_id = gen_random_uuid()`],
    ['a place in its order', `order_sequence = 1`],
    ['a purchase that is repeated', `order_sequence = 1, event_type = 'purchase', state = 'recorded'`],
    ['a time before its order', `occurred_at = '2020-01-01'`],
    ['another currency', `currency = 'USD'`],
  ])(
    '%s that was sealed again with the whole chain is found by the rules of its order',
    async (_what, assignments) => {
      const siteId = await aChain(replica);
      await change(database.owner, siteId, assignments, MIDDLE);
      await sealAgain(siteId, MIDDLE);
      for (const size of [1, 3, 100]) {
        await verify(siteId, '1', size);
        expect((await results.read(siteId)).broken?.sequence).toBe(String(MIDDLE));
      }
    },
  );

  it('a chain that was sealed again as a whole differs from what an earlier verification has kept', async () => {
    const siteId = await aChain(replica);
    await verify(siteId);
    await change(database.owner, siteId, `reason = 'other'`, MIDDLE);
    await sealAgain(siteId, MIDDLE);
    for (const from of ['1', '7', '1']) {
      await verify(siteId, from);
      const { broken, sound } = await results.read(siteId);
      expect(broken).toMatchObject({ sequence: '8', reason: expect.stringContaining('anchored') });
      expect(sound.sequence).toBe('8');
    }
  });

  it('a chain that was sealed again is found by a verification that begins right behind the kept seal', async () => {
    const siteId = await aChain(replica);
    await verify(siteId);
    await replica.ledger.record([itemOf(siteId, aPurchase())]);
    await change(database.owner, siteId, `reason = 'other'`, MIDDLE);
    await sealAgain(siteId, MIDDLE);
    for (const from of ['9', '1']) {
      await verify(siteId, from);
      const { broken, sound } = await results.read(siteId);
      const reason = expect.stringMatching('verified|anchored') as unknown;
      expect(broken).toMatchObject({ sequence: '8', reason });
      expect(sound.sequence).toBe('8');
    }
  });

  it('a broken record stays until a verification that includes it is sound', async () => {
    const siteId = await aChain(replica);
    await change(database.owner, siteId, `request_id = 'x' || request_id`, MIDDLE);
    await verify(siteId);
    const isBroken = { broken: { sequence: '5', order_id: 'bestellung-ü' } };
    expect(await results.read(siteId)).toMatchObject({ ...isBroken, last: { to_sequence: '4' } });
    await verify(siteId, '6');
    expect(await results.read(siteId)).toMatchObject({
      ...isBroken,
      last: { from_sequence: '6', to_sequence: '8' },
    });
    await change(database.owner, siteId, `request_id = substr(request_id, 2)`, MIDDLE);
    await verify(siteId, '7');
    expect(await results.read(siteId)).toMatchObject(isBroken);
    await verify(siteId, '5');
    expect((await results.read(siteId)).broken).toBeNull();
  });
});
