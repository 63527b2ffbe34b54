import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TOPICS } from '@truetally/contracts/topics';
import { unpackFacts } from '../domain/facts.js';
import { aCancellation, anAdjustment, aPurchase, itemOf } from '../testing/commands.js';
import { type LedgerDatabase, openLedgerDatabase, type Replica } from '../testing/ledger-database.js';
import { republishRecords, type Republishing } from './republish-records.js';

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

/** Empties the outbox. @returns what it would publish about records */
async function publish(): Promise<readonly Published[]> {
  const { rows } = await database.owner.query<Published>(
    'with gone as (delete from outbox returning *) select topic, key, value, headers from gone order by id',
  );
  return rows.filter(({ topic }) => topic === TOPICS.conversionsRecorded.name).flatMap(unpackFacts);
}

async function republished(more: Partial<Republishing> = {}): Promise<readonly Published[]> {
  const facts: Published[] = [];
  const published = async (): Promise<void> => void facts.push(...(await publish()));
  const records = await republishRecords({ pool: replica.pool, period: ALWAYS, published, ...more });
  expect(records).toBe(facts.length);
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
    for (const records of [1, 3, 8, 100])
      expect(sorted(await republished({ records }))).toEqual(sorted(first));
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
