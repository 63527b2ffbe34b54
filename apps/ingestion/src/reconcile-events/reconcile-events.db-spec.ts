import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReconciledHour, ReconcileEvents } from '@truetally/contracts/operations';
import type { Page } from '@truetally/contracts/resource';
import { eventErasureOfPerson } from '../storage/person-erasure.js';
import { ReconciliationStore } from '../storage/reconciliation.store.js';
import { type IngestionDatabase, openIngestionDatabase } from '../testing/ingestion-database.js';
import { anEvent, aRequest, refusing } from '../testing/requests.js';
import { reconcileEvents } from './reconcile-events.js';

const ALL_READ = { group: 'group', topic: 'topic', partition: 0, lag: 0, end: 0, expired: 0 };

let database: IngestionDatabase;
let handle: ReturnType<typeof reconcileEvents>;
const sites = Array.from({ length: 3 }, () => randomUUID()).sort();

beforeAll(async () => {
  database = await openIngestionDatabase();
  const { pool, store } = database.replica();
  handle = reconcileEvents(new ReconciliationStore(pool), Date.now);
  for (const siteId of sites) {
    const event = anEvent();
    await store.store([
      aRequest([event, event, anEvent()], { siteId, refusals: refusing(1) }),
      aRequest([event], { siteId }),
    ]);
  }
});

afterAll(() => database.close());

const EVERYTHING: ReconcileEvents = { site_id: null, from: null, to: null, cursor: null, limit: 50 };

async function ask(query: Partial<ReconcileEvents>): Promise<Page<ReconciledHour>> {
  const reply = await handle({ ...EVERYTHING, ...query });
  if ('error' in reply) throw new Error(JSON.stringify(reply.error));
  return reply.ok;
}

/** The conservation rule of section 4, as `/api/admin/reconciliation` shows it. */
describe('reconciling the counters with the table', () => {
  it('shows every site and hour, balanced', async () => {
    const { items, next_cursor } = await ask({});
    expect(items.map((item) => item.site_id)).toEqual(sites);
    expect(next_cursor).toBeNull();
    for (const item of items) {
      expect(item).toMatchObject({
        received: 5,
        stored: 2,
        deduplicated: 2,
        failed: 1,
        erased: 0,
        rows: 2,
        balanced: true,
      });
      expect(item.hour).toMatch(/:00:00\.000Z$/);
    }
  });

  it('continues after the cursor, without a gap or a repetition', async () => {
    const first = await ask({ limit: 2 });
    const second = await ask({ limit: 2, cursor: first.next_cursor });
    expect([...first.items, ...second.items].map((item) => item.site_id)).toEqual(sites);
    expect(second.next_cursor).toBeNull();
  });

  it('shows one site and one range of hours', async () => {
    expect((await ask({ site_id: sites[1] ?? null })).items.map((item) => item.site_id)).toEqual([sites[1]]);
    expect((await ask({ from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' })).items).toEqual([]);
  });

  it('shows differences between counters and rows', async () => {
    await database.owner.query('update event_counts set stored = stored + 1 where site_id = $1', [sites[0]]);
    await database.owner.query('delete from event_counts where site_id = $1', [sites[2]]);
    const { items } = await ask({});
    expect(items.map(({ balanced, stored, rows }) => ({ balanced, stored, rows }))).toEqual([
      { balanced: false, stored: 3, rows: 2 },
      { balanced: true, stored: 2, rows: 2 },
      { balanced: false, stored: 0, rows: 2 },
    ]);
  });

  it.each([
    [{ cursor: 'bm8' }, 'cursor'],
    [{ cursor: Buffer.from(`1/${'-'.repeat(36)}`).toString('base64url') }, 'cursor'],
    [{ from: '2026-01-01T00:00:00Z', to: '2026-03-01T00:00:00Z' }, 'from'],
    [{ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'from'],
  ])('a question for hours with %j is refused, and %s is named', async (query, field) => {
    const reply = await handle({ ...EVERYTHING, ...query });
    expect(reply).toMatchObject({ error: { code: 'VALIDATION_ERROR' } });
    expect('error' in reply ? Object.keys(reply.error.details) : []).toEqual([field]);
  });

  it('an hour of which people were erased is balanced: their events are counted as erased', async () => {
    const siteId = randomUUID();
    const { pool, store } = database.replica();
    const ofPerson = { user_id: 'person', session_id: 's-1' };
    await store.store([
      aRequest([anEvent(ofPerson), anEvent(ofPerson), anEvent({ session_id: 's-1' }), anEvent()], { siteId }),
    ]);
    const erasure = eventErasureOfPerson(pool, { lag: () => Promise.resolve([ALL_READ]) });
    const [erasureId, jobId] = [randomUUID(), randomUUID()];
    let cursor: string | null = null;
    do {
      const name = `${jobId}/${cursor}`;
      const subjects = { sessionIds: [], eventIds: [] };
      ({ cursor } = await erasure.step({
        name,
        jobId,
        erasureId,
        siteId,
        userId: 'person',
        cursor,
        subjects,
      }));
    } while (cursor !== null);
    const { items } = await ask({ site_id: siteId });
    expect(items).toMatchObject([{ received: 4, stored: 4, erased: 3, rows: 1, balanced: true }]);
  });
});
