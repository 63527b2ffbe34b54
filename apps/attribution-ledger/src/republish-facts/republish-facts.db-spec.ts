import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TOPICS } from '@truetally/contracts/topics';
import { markErased } from '@truetally/persistence';
import { unpackFacts } from '../domain/facts.js';
import { aCancellation, anAdjustment, aPurchase, itemOf } from '../testing/commands.js';
import { type LedgerDatabase, openLedgerDatabase, type Replica } from '../testing/ledger-database.js';
import { aTouch } from '../testing/touches.js';
import { republishRecords } from './republish-records.js';
import { republishTouches } from './republish-touches.js';

const ALWAYS = { from: '2000-01-01T00:00:00.000Z', to: '9000-01-01T00:00:00.000Z' };

let database: LedgerDatabase;
let replica: Replica;

beforeAll(async () => {
  database = await openLedgerDatabase();
  replica = database.replica();
});

afterAll(() => database.close());

interface Published {
  readonly topic: string;
  readonly key: string;
  readonly value: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Empties the outbox. @returns what it would publish in a topic */
async function publish(about: string = TOPICS.conversionsRecorded.name): Promise<readonly Published[]> {
  const { rows } = await database.owner.query<Published>(
    'with gone as (delete from outbox returning *) select topic, key, value, headers from gone order by id',
  );
  return rows.filter(({ topic }) => topic === about).flatMap(unpackFacts);
}

async function republished({ period = ALWAYS, length = 1_000_000, recordsPerRead = 1_000 } = {}): Promise<
  readonly Published[]
> {
  const facts: Published[] = [];
  const published = async (): Promise<void> => void facts.push(...(await publish()));
  const { pool } = replica;
  expect(await republishRecords({ pool, period, published }, { length, recordsPerRead })).toBe(facts.length);
  return facts;
}

const sorted = (facts: readonly Published[]): readonly string[] =>
  facts.map((fact) => JSON.stringify(fact)).toSorted();

describe('records that are published again', () => {
  it('records are published again as they were at first, in pieces of any size, in the order of each chain', async () => {
    const sites = [randomUUID(), randomUUID()];
    for (const siteId of sites) {
      const orderId = 'order "é" \\ {1,2}';
      const margin = { amount: 1_234n, basis: 'estimated', source: 'erp' } as const;
      const touchIds = ['t"1', 'ü'];
      const experimentAssignmentIds = [randomUUID()];
      const items = [
        aPurchase({ orderId, touchIds, margin, experimentAssignmentIds, tax: 100n, revenue: 10_100n }),
        anAdjustment({ orderId, marginDelta: -100n, lines: [] }),
        aPurchase({ currency: 'JPY' }),
        aCancellation({ orderId, reversedRevenue: 9_100n }),
      ];
      for (const item of items) await replica.ledger.record([itemOf(siteId, item)]);
    }
    const first = await publish();
    expect(first).toHaveLength(8);
    for (const recordsPerRead of [1, 3, 8, 100])
      for (const length of [1, 5_000, 1_000_000])
        expect(sorted(await republished({ length, recordsPerRead }))).toEqual(sorted(first));
    const sequences = (await republished()).map(({ value }) => {
      const fact = JSON.parse(value ?? '') as { readonly site_id: string; readonly sequence: string };
      return `${fact.site_id} ${fact.sequence}`;
    });
    expect(sequences).toEqual(sequences.toSorted());
  });

  it('records outside of the period are not published again', async () => {
    const siteId = randomUUID();
    await replica.ledger.record([itemOf(siteId, aPurchase())]);
    const [fact] = await publish();
    const { recorded_at: from } = JSON.parse(fact?.value ?? '') as { readonly recorded_at: string };
    expect(await republished({ period: { from: ALWAYS.from, to: from } })).not.toContainEqual(fact);
    expect(await republished({ period: { from, to: ALWAYS.to } })).toContainEqual(fact);
  });
});

describe('touches that are published again', () => {
  const { name } = TOPICS.touchesRecorded;

  async function touchesAgain(period = ALWAYS): Promise<readonly Published[]> {
    const facts: Published[] = [];
    const published = async (): Promise<void> => void facts.push(...(await publish(name)));
    const { pool } = replica;
    expect(await republishTouches({ pool, period, published })).toBe(facts.length);
    return facts;
  }

  it('touches of a period are published again as they were at first; of an erased person and site, what is left', async () => {
    const [kept, erased] = [randomUUID(), randomUUID()];
    const touches = [
      aTouch({
        touch_id: 'touch "é" \\ {1,2}',
        session_id: 'session',
        occurred_at: '0044-03-15T12:00:00.123456Z',
      }),
      aTouch({ partner_id: null, landing_path: null, occurred_at: '2026-01-30T09:30:00.120Z' }),
    ];
    for (const [siteId, some] of [
      [kept, touches],
      [erased, [aTouch()]],
    ] as const) {
      const request = { site_id: siteId, request_id: randomUUID(), touches: some };
      await replica.touches.record([{ request, correlationId: randomUUID() }]);
    }
    const first = await publish(name);
    await markErased(replica.pool, [erased]);
    const left = first.filter(({ key }) => key.startsWith(kept));
    expect(left).toHaveLength(2);
    expect(sorted(await touchesAgain())).toEqual(sorted(left));
    const { recorded_at: at } = JSON.parse(left[0]?.value ?? '') as { readonly recorded_at: string };
    expect(await touchesAgain({ ...ALWAYS, to: at })).toEqual([]);
    expect(await touchesAgain({ ...ALWAYS, from: at })).toHaveLength(2);
    await replica.pool.query('select forget_sessions($1, $2)', [kept, ['session']]);
    const sessions = (await touchesAgain()).map(
      ({ value }) => JSON.parse(value ?? '') as { session_id: unknown },
    );
    expect(sessions.map(({ session_id }) => session_id)).toEqual([null, null]);
  });
});
