import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DeadLetterResource } from '@truetally/contracts/management';
import { OPERATIONS, TOPICS } from '@truetally/contracts/topics';
import { COMMAND_AGE_LIMIT_DAYS, DAY_MS, readAddress, REMEMBERED_DAYS } from '@truetally/kernel';
import { commandHeaders, type Messaging } from '@truetally/messaging';
import { type Answer, eventually, request } from '@truetally/testing';
import { FEW_PARTITIONS, openMessaging, type Product } from '@truetally/testing-product';
import { queryProduct } from '../query-product.js';

interface Listed {
  readonly items: readonly DeadLetterResource[];
  readonly next_cursor: string | null;
}

let product: Product;
let messaging: Messaging;
let key: string;

function admin<T>(path: string, method = 'GET', headers: Record<string, string> = {}): Promise<Answer<T>> {
  const authorization = `Bearer ${product.adminSecret}`;
  return request<T>(`${product.adminUrl}${path}`, { method, headers: { authorization, ...headers } });
}

async function listed(query: string): Promise<readonly DeadLetterResource[]> {
  return (await admin<Listed>(`/dead-letters?${query}`)).body.data?.items ?? [];
}

/** Waits for this many dead letters of a request, in any state. */
async function lettersOf(requestId: string, count: number): Promise<readonly DeadLetterResource[]> {
  return eventually(async () => {
    const items = await listed(`request_id=${requestId}`);
    return items.length === count && items;
  });
}

const act = (id: string, action: string): Promise<Answer<DeadLetterResource>> =>
  admin(`/dead-letters/${id}/${action}`, 'POST');

/** Writes an unreadable message, like a broken Kafka client. */
async function poison(address: string = TOPICS.trackEvent.name): Promise<string> {
  const requestId = randomUUID();
  const { topic, operation } = readAddress(address);
  const headers = { ...commandHeaders(randomUUID(), operation), 'request-id': requestId };
  await messaging.publish([{ topic, key: 'k', value: '{"poison":true}', headers }]);
  return requestId;
}

function track(sessionId: string, requestId: string): Promise<Answer<unknown>> {
  const event = {
    event_type: 'page_view',
    session_id: sessionId,
    client_event_id: sessionId,
    context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
  };
  return request(`${product.baseUrl}/events/track`, {
    body: JSON.stringify(event),
    headers: { 'x-api-key': key, 'content-type': 'application/json', 'x-request-id': requestId },
  });
}

function storedEvents(sessionId: string): Promise<unknown[]> {
  return queryProduct(product, 'ingestion', 'select event_id from events where session_id = $1', [sessionId]);
}

/** Lists what a whole product has refused. */
export function whatIsADeadLetter(launched: () => Product): void {
  beforeAll(async () => {
    product = launched();
    key = (await product.createApiKey(await product.createSite())).key;
    const { kafkaBrokers, topicPrefix } = product.installation;
    messaging = await openMessaging(kafkaBrokers, topicPrefix, 'dead-letters');
  });

  afterAll(() => messaging.close());

  describe('GET /api/admin/dead-letters (interface page, section 11)', () => {
    it('names topic, reason, attempts, time and request of each, and finds it by each of these', async () => {
      const requestId = await poison();
      const [letter] = await lettersOf(requestId, 1);
      expect(letter).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        topic: 'ingestion.track-event',
        group: 'ingestion.ingestion.track-event',
        reason: expect.stringContaining('Not a request to store events'),
        attempts: 1,
        at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:]{8}\.\d{3}Z$/),
        request_id: requestId,
        state: 'waiting',
        handled_at: null,
        handled_by: null,
      });
      const ids = async (query: string) => (await listed(query)).map(({ id }) => id);
      expect(await ids('topic=ingestion.track-event')).toContain(letter?.id);
      expect(await ids('reason=NOT%20A%20REQUEST%20TO%20STORE')).toContain(letter?.id);
      expect(await ids(`topic=ingestion.track-event&request_id=${requestId}&reason=store`)).toEqual([
        letter?.id,
      ]);
      expect(await ids(`topic=${OPERATIONS.createSite.address}`)).toEqual([]);
      expect(await ids(`request_id=${requestId}&reason=something%20else`)).toEqual([]);
      expect(await ids(`request_id=${requestId}&state=replayed`)).toEqual([]);
    });

    it('names the operation where a topic carries several, which a replay keeps', async () => {
      const requestId = await poison(OPERATIONS.createSite.address);
      const [letter] = await lettersOf(requestId, 1);
      expect(letter).toMatchObject({
        topic: 'management.commands/create-site',
        group: 'management.management.commands',
      });
      const found = await listed(`topic=management.commands/create-site&request_id=${requestId}`);
      expect(found.map(({ id }) => id)).toEqual([letter?.id]);
      expect((await act(letter?.id ?? '', 'replay')).status).toBe(200);
      const [again] = await lettersOf(requestId, 1);
      expect(again).toMatchObject({ topic: 'management.commands/create-site', reason: letter?.reason });
    });

    it('gives them newest first, page by page', async () => {
      const requestIds = [await poison(), await poison(), await poison()];
      for (const requestId of requestIds) await lettersOf(requestId, 1);
      const seen: DeadLetterResource[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: Answer<Listed> = await admin(
          `/dead-letters?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        expect(page.body.data?.items.length).toBeLessThanOrEqual(2);
        seen.push(...(page.body.data?.items ?? []));
        cursor = page.body.data?.next_cursor ?? null;
      }
      expect(seen.map(({ at }) => at)).toEqual(
        seen
          .map(({ at }) => at)
          .toSorted()
          .toReversed(),
      );
      expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
      expect(seen.map((each) => each.request_id)).toEqual(expect.arrayContaining(requestIds));
    });

    it.each(['state=lost', 'limit=0', 'topic=', 'cursor=nonsense', 'colour=red'])(
      'refuses ?%s',
      async (query) => {
        expect((await admin(`/dead-letters?${query}`)).status).toBe(400);
      },
    );

    it('requires the admin secret, and refuses browsers', async () => {
      const url = `${product.adminUrl}/dead-letters`;
      for (const path of [url, `${product.adminUrl}/topics`]) {
        expect((await request(path)).status).toBe(401);
        expect((await request(path, { headers: { 'x-api-key': key } })).status).toBe(401);
      }
      const path = `${url}/${randomUUID()}/replay`;
      expect((await request(path, { method: 'POST' })).status).toBe(401);
      expect((await admin(`/dead-letters`, 'GET', { origin: 'https://shop.example' })).status).toBe(403);
    });
  });

  describe('POST /api/admin/dead-letters/{id}/replay|discard', () => {
    it('discards one permanently, and records who did it and when', async () => {
      const requestId = await poison();
      const [letter] = await lettersOf(requestId, 1);
      const id = letter?.id ?? '';
      const discarded = await act(id, 'discard');
      expect(discarded.status).toBe(200);
      expect(discarded.body.data).toEqual({
        ...letter,
        state: 'discarded',
        handled_by: 'admin',
        handled_at: expect.stringMatching(/Z$/),
      });
      expect(await listed(`request_id=${requestId}`)).toEqual([]);
      expect(await listed(`request_id=${requestId}&state=discarded`)).toEqual([discarded.body.data]);
      expect((await act(id, 'discard')).status).toBe(409);
      expect((await act(id, 'replay')).status).toBe(409);
      const trail = await queryProduct(
        product,
        'management',
        'select action, actor, action_request_id, topic, request_id from dead_letter_actions where dead_letter_id = $1',
        [id],
      );
      expect(trail).toEqual([
        {
          action: 'discard',
          actor: 'admin',
          action_request_id: discarded.body.meta.request_id,
          topic: 'ingestion.track-event',
          request_id: requestId,
        },
      ]);
    });

    it('the replay or discard of an unknown dead letter is 404', async () => {
      for (const id of [randomUUID(), 'nonsense']) {
        for (const action of ['replay', 'replay?force=true', 'discard']) {
          expect((await act(id, action)).status).toBe(404);
        }
      }
      for (const query of ['force=maybe', 'force=true&force=true', 'forced=true']) {
        expect((await act(randomUUID(), `replay?${query}`)).status).toBe(400);
      }
    });

    it('replays a request whose fault is mended, and it takes effect once', async () => {
      const session = `replayed-${randomUUID()}`;
      const requestId = randomUUID();
      const table = `alter table ${product.schema('ingestion')}.events`;
      await queryProduct(
        product,
        'ingestion',
        `${table} add constraint no_session check (session_id <> '${session}') not valid`,
      );
      expect((await track(session, requestId)).status).toBe(500);
      const told = `"request_id":"${requestId}","reason":"The request could not be processed"`;
      await eventually(async () => (await product.logs()).includes(told));
      const [first] = await lettersOf(requestId, 1);
      expect(first).toMatchObject({ attempts: 3, reason: expect.stringContaining('no_session') });
      // The cause is not fixed yet: the replay becomes another dead letter.
      expect((await act(first?.id ?? '', 'replay')).body.data).toMatchObject({
        state: 'replayed',
        handled_by: 'admin',
      });
      const [second] = await lettersOf(requestId, 1);
      expect(second?.id).not.toBe(first?.id);
      expect((await act(first?.id ?? '', 'replay')).status).toBe(409);

      await queryProduct(product, 'ingestion', `${table} drop constraint no_session`);
      const [answer, other] = await Promise.all([
        act(second?.id ?? '', 'replay'),
        act(second?.id ?? '', 'replay'),
      ]);
      expect([answer.status, other.status].toSorted()).toEqual([200, 409]);
      await eventually(async () => (await storedEvents(session)).length === 1);
      // Like a client after a 500.
      expect(await track(session, randomUUID())).toMatchObject({
        status: 200,
        body: { data: { deduplicated: true } },
      });
      expect(await storedEvents(session)).toHaveLength(1);
      expect(await listed(`request_id=${requestId}`)).toEqual([]);
      expect(await listed(`request_id=${requestId}&state=replayed`)).toHaveLength(2);
    });
  });

  describe('GET /api/admin/topics', () => {
    it('reports the actual settings of every topic: no request can be redelivered after its outcome is deleted', async () => {
      interface Topic {
        readonly topic: string;
        readonly partitions: number;
        readonly config: Readonly<Record<string, string>>;
      }
      const { status, body } = await admin<{ readonly items: readonly Topic[] }>('/topics');
      expect(status).toBe(200);
      const items = body.data?.items ?? [];
      const names = items.map(({ topic }) => topic);
      expect(names).toEqual(
        expect.arrayContaining(['ingestion.track-event', 'credentials.v1', 'dead-letters.v1']),
      );
      expect(names.filter((name) => name.startsWith('replies.'))).toEqual([]);
      expect(items.find(({ topic }) => topic === 'ingestion.track-event')).toMatchObject({
        partitions: FEW_PARTITIONS,
        replication_factor: 1,
        min_insync_replicas: 1,
        under_replicated_partitions: 0,
      });
      const requests = items.filter(({ topic }) => !/\.v\d+$/.test(topic));
      expect(requests.length).toBeGreaterThan(20);
      for (const { topic, config } of requests) {
        const keptMs = Number(config['retention.ms']) + Number(config['segment.ms']);
        expect([topic, keptMs]).toEqual([topic, COMMAND_AGE_LIMIT_DAYS * DAY_MS]);
        expect(keptMs).toBeLessThan(REMEMBERED_DAYS * DAY_MS);
      }
      expect(items.find(({ topic }) => topic === 'dead-letters.v1')?.config).toMatchObject({
        'retention.ms': String(30 * DAY_MS),
        'segment.ms': String(DAY_MS),
      });
    });
  });

  it('a state that the gateways cannot read is no dead letter, and counted, so that its alert fires', async () => {
    const line = /^truetally_messaging_table_failures_total\{topic="members\.v1",.*\} 1$/m;
    const metricsOf = async () =>
      (await fetch(`http://127.0.0.1:${product.operationsPort('gateway')}/metrics`)).text();
    expect(await metricsOf()).not.toMatch(line);
    const requestId = await poison(TOPICS.members.name);
    await eventually(async () => line.test(await metricsOf()));
    expect(await listed(`request_id=${requestId}`)).toEqual([]);
  });
}
