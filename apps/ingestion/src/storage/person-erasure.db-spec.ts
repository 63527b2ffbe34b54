import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TOPICS } from '@truetally/contracts/topics';
import { type IngestionDatabase, openIngestionDatabase } from '../testing/ingestion-database.js';
import { eventErasureOfPerson } from './person-erasure.js';

let database: IngestionDatabase;

beforeAll(async () => {
  database = await openIngestionDatabase();
});

afterAll(() => database.close());

describe('the erasure of a person’s events', () => {
  it('others are not asked for the person’s sessions before the facts of all stored events are in Kafka', async () => {
    let unpublished = 1;
    const asked: (string | undefined)[] = [];
    const messaging = {
      lag: (group?: string) => {
        asked.push(group);
        const place = { group: group ?? '', topic: TOPICS.trackEvent.name, partition: 0 };
        return Promise.resolve([{ ...place, lag: unpublished, end: 8, expired: 0 }]);
      },
    };
    const { pool } = database.replica();
    const erasure = eventErasureOfPerson(pool, messaging, 0);
    const [siteId, erasureId, jobId] = [randomUUID(), randomUUID(), randomUUID()];
    const step = (cursor: string | null) =>
      erasure.step({
        ...{ name: `${jobId}/${cursor}`, jobId, erasureId, siteId, userId: 'person', cursor },
        subjects: { sessionIds: [], eventIds: [] },
      });
    await step(null);
    expect(asked).toEqual([]);
    expect(await step('end')).toMatchObject({ cursor: 'end', again_in_ms: 1_000 });
    unpublished = 0;
    expect((await step('end')).cursor).toBeNull();
    expect(new Set(asked)).toEqual(new Set(['ingestion.ingestion.track-event']));
  });
});
