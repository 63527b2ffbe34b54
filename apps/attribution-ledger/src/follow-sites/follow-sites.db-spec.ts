import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReceivedFact } from '@truetally/messaging';
import { inTransaction } from '@truetally/persistence';
import fc from 'fast-check';
import { readSettings } from '../storage/site-settings.js';
import { type LedgerDatabase, openLedgerDatabase } from '../testing/ledger-database.js';
import { siteFact } from '../testing/site-facts.js';
import { keepSites } from './follow-sites.js';

let database: LedgerDatabase;

beforeAll(async () => {
  database = await openLedgerDatabase();
});

afterAll(() => database.close());

describe('the copy of commission settings', () => {
  it('ends with the newest of the latest incarnation, and with none of a deleted site, in any order of facts', async () => {
    const { pool } = database.replica();
    const cases = fc.record({
      versions: fc.integer({ min: 1, max: 4 }),
      isDeleted: fc.boolean(),
      restored: fc.option(fc.integer({ min: 1, max: 4 })),
      order: fc.infiniteStream(fc.nat()),
    });
    await fc.assert(
      fc.asyncProperty(cases, fc.integer({ min: 1, max: 4 }), async (history, perCall) => {
        const { versions, isDeleted, restored, order } = history;
        const siteId = randomUUID();
        const states = Array.from({ length: versions }, (_, index) => {
          const version = index + 1;
          return siteFact(siteId, { model: 'linear', lookbackDays: version, incarnation: 1, version });
        });
        const facts: Pick<ReceivedFact, 'headers' | 'key' | 'value'>[] = [...states];
        if (isDeleted) facts.push({ key: siteId, value: null, headers: { incarnation: '1' } });
        if (restored !== null) {
          facts.push(
            siteFact(siteId, { model: 'linear', lookbackDays: null, incarnation: 2, version: restored }),
          );
        }
        const mixed = [...facts, ...facts]
          .map((fact) => ({ fact, place: order.next().value }))
          .toSorted((one, other) => one.place - other.place)
          .map(({ fact }) => fact);
        for (let from = 0; from < mixed.length; from += perCall) {
          await keepSites(pool, mixed.slice(from, from + perCall));
        }
        const settings = await inTransaction(pool, (client) => readSettings(client, [siteId]));
        const expected = restored ?? (isDeleted ? undefined : versions);
        expect(settings.get(siteId)?.version).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });
});
