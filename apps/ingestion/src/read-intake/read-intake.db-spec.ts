import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IntakeCounts, IntakeHour } from '@truetally/contracts/events';
import fc from 'fast-check';
import { IntakeReads } from '../storage/intake-reads.js';
import { type IngestionDatabase, openIngestionDatabase } from '../testing/ingestion-database.js';
import { anEvent, aRequest, refusing } from '../testing/requests.js';
import { readIntake } from './read-intake.js';

const HOUR_MS = 3_600_000;
let database: IngestionDatabase;
let handle: ReturnType<typeof readIntake>;

beforeAll(async () => {
  database = await openIngestionDatabase();
  handle = readIntake(new IntakeReads(database.replica().pool));
});

afterAll(() => database.close());

/** A day around now, so that no hour's end falls between storing and reading. */
async function intakeOf(siteId: string): Promise<IntakeCounts> {
  const hour = Math.floor(Date.now() / HOUR_MS);
  const [from = '', to = ''] = [hour - 12, hour + 12].map((one) => new Date(one * HOUR_MS).toISOString());
  const reply = await handle({ site_id: siteId, from, to });
  if ('error' in reply) throw new Error(reply.error.message);
  return reply.ok;
}

function sumOf(hours: readonly IntakeHour[], name: 'received' | 'stored' | 'deduplicated' | 'failed') {
  return hours.reduce((sum, hour) => sum + hour[name], 0);
}

describe('intake (interface page, section 4: conservation), on a real Postgres', () => {
  it('every item is counted once, whatever is sent again, refused or repeated, over several writers', async () => {
    const ids = Array.from({ length: 4 }, () => randomUUID());
    const sent = fc.array(
      fc.record({
        keys: fc.array(fc.constantFrom(...ids), { maxLength: 3 }),
        failed: fc.nat(3),
        statuses: fc.array(fc.constantFrom(400, 413, 429), { maxLength: 2 }),
        copies: fc.integer({ min: 1, max: 3 }),
        replica: fc.nat(1),
      }),
      { minLength: 1, maxLength: 8 },
    );
    const replicas = [database.replica().store, database.replica().store];
    await fc.assert(
      fc.asyncProperty(sent, async (requests) => {
        const siteId = randomUUID();
        const names = new Map(ids.map((id) => [id, randomUUID()]));
        for (const { keys, failed, statuses, copies, replica } of requests) {
          const refusals = {
            ...refusing(failed),
            requests: statuses.map((status) => ({ status, count: 1 })),
          };
          const events = keys.map((key) => anEvent({ event_id: names.get(key) ?? key }));
          const request = aRequest(events, { siteId, refusals });
          for (let copy = 0; copy < copies; copy += 1) await replicas[replica]?.store([request]);
        }
        const { hours } = await intakeOf(siteId);
        const all = requests.flatMap(({ keys }) => keys);
        const failed = requests.reduce((sum, one) => sum + one.failed, 0);
        expect(hours.every(({ balanced }) => balanced)).toBe(true);
        expect(sumOf(hours, 'received')).toBe(all.length + failed);
        expect(sumOf(hours, 'stored')).toBe(new Set(all).size);
        expect(sumOf(hours, 'failed')).toBe(failed);
        const refused = hours.flatMap((hour) => hour.refused_requests);
        expect(refused.reduce((sum, { count }) => sum + count, 0)).toBe(
          requests.flatMap(({ statuses }) => statuses).length,
        );
      }),
      { numRuns: 25 },
    );
  });

  it('the last event is the newest that was stored, the last refusal that of an item or a request', async () => {
    const siteId = randomUUID();
    const { store } = database.replica();
    expect(await intakeOf(siteId)).toMatchObject({ last_event_at: null, last_refused_at: null });
    const event = anEvent();
    const [settled] = await store.store([aRequest([event], { siteId })]);
    await store.store([aRequest([event], { siteId })]);
    expect(await intakeOf(siteId)).toMatchObject({
      last_event_at: settled?.verdicts[0]?.receivedAt,
      last_refused_at: null,
    });
    const requests = [{ status: 413, count: 2 }];
    const [refused] = await store.store([
      aRequest([], { siteId, refusals: { failed: [], requests, items: [] } }),
    ]);
    expect(refused?.storedRows).toBe(0);
    const intake = await intakeOf(siteId);
    expect(intake.last_refused_at).toEqual(expect.any(String));
    expect(Date.parse(intake.as_of)).toBeGreaterThanOrEqual(Date.parse(intake.last_refused_at ?? ''));
  });

  it('a site sees nothing of another', async () => {
    const { store } = database.replica();
    const [siteId, other] = [randomUUID(), randomUUID()];
    await store.store([
      aRequest([anEvent()], { siteId, refusals: refusing(1) }),
      aRequest([anEvent()], { siteId: other, refusals: refusing(2) }),
    ]);
    const { hours } = await intakeOf(siteId);
    expect([sumOf(hours, 'received'), sumOf(hours, 'failed')]).toEqual([2, 1]);
  });

  it('a window of no whole hours, or of more than a month, is refused', async () => {
    const ask = (from: string, to: string) => handle({ site_id: randomUUID(), from, to });
    const bad = { error: { code: 'VALIDATION_ERROR' } };
    expect(await ask('2026-01-01T00:00:00.001Z', '2026-01-02T00:00:00.000Z')).toMatchObject(bad);
    expect(await ask('2026-01-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z')).toMatchObject(bad);
  });
});
