import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { PlacedRequest } from '../domain/placed-request.js';
import type { SettledRequest } from '../domain/settle-requests.js';
import {
  type IngestionDatabase,
  openIngestionDatabase,
  type Replica,
} from '../testing/ingestion-database.js';
import { anEvent, aRequest, refusing, SITE_ID } from '../testing/requests.js';
import { CounterWriters } from './request-accounts.js';

let database: IngestionDatabase;

beforeAll(async () => {
  database = await openIngestionDatabase();
});

afterAll(() => database.close());

const verdictsOf = (settled: readonly SettledRequest[]): string[][] =>
  settled.map((one) => one.verdicts.map(({ verdict }) => verdict));

async function rowsOf(eventId: string): Promise<Record<string, unknown>[]> {
  const { rows } = await database.owner.query<Record<string, unknown>>(
    'select *, properties::text as properties_text from events where event_id = $1',
    [eventId],
  );
  return rows;
}

async function countsOf(siteId: string): Promise<unknown> {
  const { rows } = await database.owner.query<Record<string, string>>(
    `select sum(received)::int as received, sum(stored)::int as stored, sum(deduplicated)::int as deduplicated,
       sum(failed)::int as failed, (select count(*)::int from events where site_id = $1) as rows
     from event_counts where site_id = $1`,
    [siteId],
  );
  return rows[0];
}

describe('storing events', () => {
  it('stores every column as it came, and the texts byte for byte', async () => {
    const { store } = database.replica();
    const event = anEvent({
      user_id: 'user\twith\\odd\ncharacters',
      client_event_id: '\\N',
      is_bot: true,
      properties: '{"b":1,  "a":"\\\\ \\n \\u0000 é\u2028","n":1.10}',
    });
    const request = aRequest([event], { trust: 'browser' });
    const [settled] = await store.store([request]);
    const [row] = await rowsOf(event.event_id);
    expect(row).toMatchObject({
      site_id: SITE_ID,
      event_type: 'product_view',
      session_id: 'session-1',
      user_id: 'user\twith\\odd\ncharacters',
      device_id: 'device-1',
      client_event_id: '\\N',
      occurred_at: new Date('2026-01-31T09:30:00.123Z'),
      trust: 'browser',
      is_bot: true,
      request_id: request.requestId,
      request_partition: request.place.partition,
      request_offset: request.place.offset,
      content_hash: '-42',
      properties_text: event.properties,
    });
    expect(row?.['received_at']).toEqual(new Date(settled?.verdicts[0]?.receivedAt ?? ''));
  });

  it('answers a replay as a duplicate with the first time, in one batch and across batches', async () => {
    const { store } = database.replica();
    const event = anEvent();
    const [first] = await store.store([aRequest([event, event])]);
    const again = await store.store([aRequest([event]), aRequest([anEvent(), event])]);
    expect(first?.verdicts.map(({ verdict }) => verdict)).toEqual(['stored', 'duplicate']);
    expect(verdictsOf(again)).toEqual([['duplicate'], ['stored', 'duplicate']]);
    expect(again[0]?.verdicts[0]?.receivedAt).toBe(first?.verdicts[0]?.receivedAt);
    expect(again[0]?.published).toEqual([]);
    expect(await rowsOf(event.event_id)).toHaveLength(1);
  });

  it('gives the event to the first of two requests in one transaction', async () => {
    const { store } = database.replica();
    const event = anEvent();
    const settled = await store.store([aRequest([event]), aRequest([event])]);
    expect(verdictsOf(settled)).toEqual([['stored'], ['duplicate']]);
  });

  it('keeps the first content, and counts the conflict', async () => {
    const { store } = database.replica();
    const event = anEvent();
    await store.store([aRequest([event])]);
    const [settled] = await store.store([aRequest([{ ...event, content_hash: '7', properties: '{}' }])]);
    expect(settled?.conflicts).toBe(1);
    expect((await rowsOf(event.event_id))[0]).toMatchObject({ properties_text: event.properties });
  });

  it('refuses the whole transaction when Postgres refuses a text', async () => {
    const { store } = database.replica();
    const [good, bad] = [anEvent(), anEvent({ properties: '{broken' })];
    await expect(store.store([aRequest([good]), aRequest([bad])])).rejects.toMatchObject({ code: '22P02' });
    expect(await rowsOf(good.event_id)).toEqual([]);
  });
});

describe('a request delivered again', () => {
  it('a request delivered again is answered and published as the first time, and counted once', async () => {
    const { store } = database.replica();
    const siteId = randomUUID();
    const [old, shared] = [anEvent(), anEvent()];
    await store.store([aRequest([old], { siteId })]);
    const request = aRequest([shared, old, shared], { siteId, refusals: refusing(2) });
    const [first] = await store.store([request]);
    const [second] = await database.replica().store.store([request]);
    expect(second?.verdicts).toEqual(first?.verdicts);
    expect(second?.published).toEqual(first?.published);
    expect(await countsOf(siteId)).toEqual({ received: 6, stored: 2, deduplicated: 2, failed: 2, rows: 2 });
  });

  it('a request delivered again is counted once when it was all a replay, or all refused', async () => {
    const { store } = database.replica();
    const siteId = randomUUID();
    const event = anEvent();
    await store.store([aRequest([event], { siteId })]);
    const replay = aRequest([event], { siteId });
    const refused = aRequest([], { siteId, refusals: refusing(3) });
    await store.store([replay, refused]);
    await store.store([refused, replay]);
    expect(await countsOf(siteId)).toEqual({ received: 5, stored: 1, deduplicated: 1, failed: 3, rows: 1 });
  });

  it('a request is counted once when it is in one transaction twice', async () => {
    const { store } = database.replica();
    const siteId = randomUUID();
    const request = aRequest([anEvent()], { siteId });
    const replay = aRequest(request.events, { siteId });
    const settled = await store.store([request, request, replay, replay]);
    expect(verdictsOf(settled)).toEqual([['stored'], ['stored'], ['duplicate'], ['duplicate']]);
    expect(await countsOf(siteId)).toEqual({ received: 2, stored: 1, deduplicated: 1, failed: 0, rows: 1 });
  });

  it('a request is counted once when a lost acknowledgement of a produce leaves it in the log twice', async () => {
    const { store } = database.replica();
    const siteId = randomUUID();
    const copyOf = (request: PlacedRequest): PlacedRequest => ({
      ...request,
      place: { ...request.place, offset: `${request.place.offset}000` },
    });
    const singles = Array.from({ length: 5 }, () => aRequest([anEvent()], { siteId }));
    const refused = aRequest([], { siteId, refusals: refusing(2) });
    const replay = aRequest(singles[0]?.events ?? [], { siteId });
    await store.store([...singles, copyOf(singles[0] ?? refused), refused, replay]);
    const settled = await store.store([...singles, refused, replay].map(copyOf));
    expect(verdictsOf(settled).flat()).toEqual([...singles.map(() => 'stored'), 'duplicate']);
    expect(await countsOf(siteId)).toEqual({ received: 8, stored: 5, deduplicated: 1, failed: 2, rows: 5 });
  });

  it('a request is another one when the log was recreated and reuses its position', async () => {
    const { store } = database.replica();
    const event = anEvent();
    const request = aRequest([event]);
    await store.store([request]);
    const another = { requestId: randomUUID(), correlationId: randomUUID() };
    const [settled] = await store.store([{ ...request, ...another }]);
    expect(settled?.verdicts[0]?.verdict).toBe('duplicate');
  });
});

/** What the replica has sent to Postgres while it stored these, one transaction each; it has one connection. */
async function tripsOf({ pool, store }: Replica, ...requests: readonly PlacedRequest[]) {
  const client = await pool.connect();
  const query = jest.spyOn(client, 'query');
  client.release();
  const settled: SettledRequest[] = [];
  for (const request of requests) settled.push(...(await store.store([request])));
  const trips = query.mock.calls.length;
  query.mockRestore();
  return { trips, settled };
}

describe('a transaction that has nothing to ask', () => {
  it('a transaction that has nothing to ask is one round trip, with its time and its counters', async () => {
    const replica = database.replica();
    const siteId = randomUUID();
    const [first, second] = [anEvent(), anEvent()];
    await replica.store.store([aRequest([anEvent()], { siteId })]);
    const { trips, settled } = await tripsOf(
      replica,
      aRequest([first, first], { siteId }),
      aRequest([second], { siteId, refusals: refusing(1) }),
    );
    expect(trips).toBe(2);
    expect(verdictsOf(settled)).toEqual([['stored', 'duplicate'], ['stored']]);
    const [row] = await rowsOf(second.event_id);
    expect(row?.['received_at']).toEqual(new Date(settled[1]?.verdicts[0]?.receivedAt ?? ''));
    expect(await countsOf(siteId)).toEqual({ received: 5, stored: 3, deduplicated: 1, failed: 1, rows: 3 });
  });

  it('what the replica has stored itself is asked about, and what another one has makes it begin again', async () => {
    const [replica, other] = [database.replica(), database.replica()];
    const [own, foreign] = [anEvent(), anEvent()];
    await replica.store.store([aRequest([own])]);
    await other.store.store([aRequest([foreign])]);
    expect(verdictsOf((await tripsOf(replica, aRequest([own]))).settled)).toEqual([['duplicate']]);
    expect(verdictsOf((await tripsOf(replica, aRequest([foreign, anEvent()]))).settled)).toEqual([
      ['duplicate', 'stored'],
    ]);
  });

  it('it stores nothing of a person who was erased after the transaction before', async () => {
    const replica = database.replica();
    const siteId = randomUUID();
    const events = [anEvent({ user_id: 'erased' }), anEvent({ user_id: 'living' }), anEvent()];
    await replica.store.store([aRequest([anEvent({ user_id: 'erased' })], { siteId })]);
    await database.owner.query('select announce_person($1, $2)', [siteId, 'erased']);
    const { settled } = await tripsOf(replica, aRequest(events, { siteId }));
    expect(verdictsOf(settled)).toEqual([['refused', 'stored', 'stored']]);
    const { trips } = await tripsOf(replica, aRequest([anEvent()], { siteId }));
    expect(trips).toBe(1);
    await database.owner.query('delete from erased_people');
  });
});

describe('counters', () => {
  it('counters have as many rows as connections count at once, however many come and go', async () => {
    const siteId = randomUUID();
    const { pool, store } = database.replica();
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 4 }, () => store.store([aRequest([anEvent()], { siteId })])));
      const connections = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
      for (const connection of connections) connection.release(true);
    }
    const { rows } = await database.owner.query<{ writers: number; stored: number }>(
      `select count(distinct writer)::int as writers, sum(stored)::int as stored from event_counts where site_id = $1`,
      [siteId],
    );
    expect(rows[0]?.stored).toBe(20);
    expect(rows[0]?.writers).toBeLessThanOrEqual(4);
  });

  it('counters of two connections at the same time have different rows', async () => {
    const { pool } = database.replica();
    const [one, other] = await Promise.all([pool.connect(), pool.connect()]);
    const writers = new CounterWriters();
    try {
      const numbers = [await writers.of(one), await writers.of(other), await writers.of(one)];
      expect(numbers[0]).toBe(numbers[2]);
      expect(numbers[0]).not.toBe(numbers[1]);
    } finally {
      one.release();
      other.release();
    }
  });
});
