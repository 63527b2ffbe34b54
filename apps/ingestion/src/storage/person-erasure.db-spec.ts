import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TOPICS } from '@truetally/contracts/topics';
import { eventually } from '@truetally/testing';
import { republishEvents } from '../republish-events/republish-events.js';
import { type IngestionDatabase, openIngestionDatabase } from '../testing/ingestion-database.js';
import { anEvent, aRequest } from '../testing/requests.js';
import { eventErasureOfPerson } from './person-erasure.js';

let database: IngestionDatabase;

beforeAll(async () => {
  database = await openIngestionDatabase();
});

afterAll(() => database.close());

const ALL_READ = {
  ...{ group: 'ingestion.ingestion.track-event', topic: TOPICS.trackEvent.name, partition: 0 },
  ...{ lag: 0, end: 8, expired: 0 },
};
/** Of an erasure that waits for those who read before it. */
const WAITING = `select from pg_stat_activity where datname = current_database() and query like '%erasure_writers()%'
  and pid <> pg_backend_pid()`;

describe('the erasure of a person’s events', () => {
  it('others are not asked for the person’s sessions before events that are published again are in Kafka', async () => {
    const { pool, store } = database.replica();
    await store.store([aRequest([anEvent()])]);
    const { promise: published, resolve: publish } = Promise.withResolvers<undefined>();
    let isRead = false;
    const order: string[] = [];
    const republishing = republishEvents({
      pool,
      period: { from: '2000-01-01T00:00:00.000Z', to: '9000-01-01T00:00:00.000Z' },
      messaging: {
        publish: () => {
          isRead = true;
          return published.then(() => void order.push('published'));
        },
      },
    }).then(() => order);
    await eventually(() => isRead);
    const [siteId, erasureId, jobId] = [randomUUID(), randomUUID(), randomUUID()];
    const erasing = eventErasureOfPerson(pool, { lag: () => Promise.resolve([ALL_READ]) })
      .step({
        ...{ name: `${jobId}/end`, jobId, erasureId, siteId, userId: 'person', cursor: 'end' },
        subjects: { sessionIds: [], eventIds: [] },
      })
      .then(() => order.push('erased'));
    await eventually(async () => order.length > 0 || (await database.owner.query(WAITING)).rowCount !== 0);
    publish(undefined);
    await Promise.all([republishing, erasing]);
    expect(order).toEqual(['published', 'erased']);
  });

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
