import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ServiceDatabase } from '@truetally/testing-product';
import { SettlementReads } from '../storage/settlement-reads.js';
import { openPublisherDatabase, PublisherReplica } from '../testing/publisher-database.js';
import { clickFact } from '../testing/click-fact.js';

const HASH = 'cd'.repeat(32);

let database: ServiceDatabase;

beforeAll(async () => {
  database = await openPublisherDatabase();
});

afterAll(() => database.close());

it('the click of a reference is the one that was received first, whatever time a later one says, and bots are not counted', async () => {
  const siteId = randomUUID();
  const pool = database.openPool(1);
  const clicks = ['own', 'replay', 'bot'].map((contentId, order) =>
    clickFact({
      eventId: randomUUID(),
      siteId,
      occurredAt: `2026-03-0${9 - order}T12:00:00.000Z`,
      receivedAt: `2026-03-1${contentId === 'bot' ? 0 : order + 1}T12:00:00.000Z`,
      isBot: contentId === 'bot',
      contentId,
    }),
  );
  await PublisherReplica.clicksOf(pool, 'UTC').record({
    clicks,
    references: clicks.map(({ eventId }) => ({
      ...{ eventId, siteId, hash: HASH, keyId: 'test', sealed: Buffer.alloc(1) },
    })),
  });
  const found = await new SettlementReads(pool).named([
    { site_id: randomUUID(), hash: 'ef'.repeat(32) },
    { site_id: siteId, hash: HASH },
  ]);
  expect(found).toMatchObject({ siteId, click: { content_id: 'own' }, clicks: 2, settlements: [] });
});
