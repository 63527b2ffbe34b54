import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AcceptedEvent } from '@truetally/contracts/events';
import { TOPICS } from '@truetally/contracts/topics';
import { formatInstantPrecisely } from '@truetally/kernel';
import type { Fact } from '@truetally/messaging';
import { markErased } from '@truetally/persistence';
import fc from 'fast-check';
import { factsOf } from '../track-event/track-event.handler.js';
import {
  type IngestionDatabase,
  openIngestionDatabase,
  type Replica,
} from '../testing/ingestion-database.js';
import { anEvent, aRequest } from '../testing/requests.js';
import { republishClicks, republishEvents, type Republishing } from './republish-events.js';

const ALWAYS = { from: '2000-01-01T00:00:00.000Z', to: '9000-01-01T00:00:00.000Z' };

let database: IngestionDatabase;
let replica: Replica;

beforeAll(async () => {
  database = await openIngestionDatabase();
  replica = database.replica({ partitionSeconds: 1 });
});

afterAll(() => database.close());

/** @returns what is published about them */
async function storeAll(siteId: string, events: readonly AcceptedEvent[]): Promise<readonly Fact[]> {
  const settled = await replica.store.store([aRequest(events, { siteId })]);
  return settled.flatMap(factsOf);
}

/** @returns what is published about the clicks among them */
async function store(siteId: string, events: readonly AcceptedEvent[]): Promise<readonly Fact[]> {
  return (await storeAll(siteId, events)).filter(({ topic }) => topic === TOPICS.clicksStored.name);
}

async function republished(
  more: Partial<Republishing> = {},
  republish = republishClicks,
): Promise<readonly Fact[]> {
  const published: Fact[] = [];
  const messaging = {
    publish: (facts: readonly Fact[]) => {
      published.push(...facts);
      return Promise.resolve();
    },
  };
  const { pool } = replica;
  expect(await republish({ pool, messaging, period: ALWAYS, ...more })).toBe(published.length);
  return published;
}

const ofSite = (facts: readonly Fact[], siteId: string): readonly string[] =>
  facts
    .filter(({ key }) => key.startsWith(siteId))
    .map((fact) => JSON.stringify(fact))
    .toSorted();

function clicks(number: number): readonly AcceptedEvent[] {
  return Array.from({ length: number }, () => anEvent({ event_type: 'partner_link_click' }));
}

const receivedAt = ({ value }: Fact): string => {
  const { received_at } = JSON.parse(value ?? '{}') as { readonly received_at: string };
  return received_at;
};

describe('events that are published again', () => {
  const instant = fc.record({
    epochMs: fc.integer({ min: Date.parse('0001-01-02'), max: Date.parse('9999-12-30') }),
    subMillisecond: fc.stringMatching(/^\d{0,3}$/),
  });
  const text = fc.option(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), { nil: null });
  const event = fc.record({
    event_type: fc.constantFrom('partner_link_click', 'product_view'),
    session_id: fc.stringMatching(/^[a-z0-9-]{1,10}$/),
    user_id: text.map((one) => one?.replaceAll('\0', '') ?? null),
    is_bot: fc.boolean(),
    occurred_at: instant.map(formatInstantPrecisely),
    properties: fc.constantFrom('{"n":1.10}', '{"n":12345678901234567890.5 , "b":[ ]}', '{}'),
  });

  it('republished events and clicks are letter by letter what was published first', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 20 }),
        fc.integer({ min: 1, max: 3 }),
        async (given, blocks) => {
          const siteId = randomUUID();
          const first = await storeAll(
            siteId,
            given.map((one) => anEvent(one)),
          );
          const again = [
            ...(await republished({ blocks })),
            ...(await republished({ blocks }, republishEvents)),
          ];
          expect(ofSite(again, siteId)).toEqual(ofSite(first, siteId));
        },
      ),
      { numRuns: 25 },
    );
  });

  it('republished clicks are all of them, each once, however few blocks are read at a time', async () => {
    const siteId = randomUUID();
    const first = await store(siteId, clicks(500));
    for (const blocks of [1, 2, 1_000]) {
      expect(ofSite(await republished({ blocks }), siteId)).toEqual(ofSite(first, siteId));
    }
  });

  it('republished clicks are those of the period; each partition tells where to go on', async () => {
    const siteId = randomUUID();
    const early = await store(siteId, clicks(2));
    await untilNextPartition();
    const late = await store(siteId, clicks(3));
    const to = late.map(receivedAt).toSorted()[0] ?? '';
    expect(ofSite(await republished({ period: { ...ALWAYS, to } }), siteId)).toEqual(ofSite(early, siteId));
    expect(ofSite(await republished({ period: { ...ALWAYS, from: to } }), siteId)).toEqual(
      ofSite(late, siteId),
    );
    const progress: { readonly facts: number; readonly to?: string }[] = [];
    const all = await republished({ onPiece: (done) => progress.push(done) });
    expect(progress.length).toBeGreaterThan(1);
    for (const done of progress) {
      const rest = await republished({ period: { ...ALWAYS, from: done.to ?? '' } });
      expect(rest).toHaveLength(all.length - done.facts);
    }
  });

  it('events with large contents are not all in memory at once when they are published again', async () => {
    const siteId = randomUUID();
    const properties = JSON.stringify({ text: 'large'.repeat(6_000) });
    await storeAll(
      siteId,
      Array.from({ length: 200 }, () => anEvent({ properties })),
    );
    const lengths: number[] = [];
    const publish = (facts: readonly Fact[]) => {
      lengths.push(facts.reduce((sum, { value }) => sum + (value?.length ?? 0), 0));
      return Promise.resolve();
    };
    await republishEvents({ pool: replica.pool, period: ALWAYS, messaging: { publish } });
    expect(Math.max(...lengths)).toBeLessThan(4_000_000);
  });

  it('clicks of an erased site are not published again', async () => {
    const siteId = randomUUID();
    await store(siteId, clicks(3));
    await markErased(replica.pool, [siteId]);
    expect(ofSite(await republished(), siteId)).toEqual([]);
  });
});

/** Stores clicks until they come into a partition that began later than all that are there. */
async function untilNextPartition(): Promise<void> {
  const begun = async (): Promise<number> =>
    (await database.owner.query('select from event_partitions where starts_at <= clock_timestamp()'))
      .rowCount ?? 0;
  const before = await begun();
  while ((await begun()) === before) await store(randomUUID(), clicks(1));
}
