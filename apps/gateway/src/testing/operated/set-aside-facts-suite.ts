import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SetAsideFactResource } from '@truetally/contracts/operations';
import { SERVICES, type ServiceName } from '@truetally/contracts/services';
import { type Messaging, type ReceivedFact, subscribe } from '@truetally/messaging';
import { type Answer, eventually, request } from '@truetally/testing';
import { type LaunchedProduct, openMessaging } from '@truetally/testing-product';
import { queryProduct } from '../query-product.js';

interface Listed {
  readonly items: readonly SetAsideFactResource[];
  readonly next_cursor: string | null;
}

/** From the beginning of the pass that found a topic missing until its relay looks again, and more: two seconds each. */
const REMEMBERED_MS = 6_000;
const OUTBOXES = SERVICES.filter(({ hasOutbox }) => hasOutbox).map(({ name }) => name);

let product: LaunchedProduct;
let messaging: Messaging;

function admin<T>(path: string, method = 'GET', headers: Record<string, string> = {}): Promise<Answer<T>> {
  const authorization = `Bearer ${product.adminSecret}`;
  return request<T>(`${product.adminUrl}/set-aside-facts${path}`, {
    method,
    headers: { authorization, ...headers },
  });
}

const act = (fact: SetAsideFactResource, action: string): Promise<Answer<SetAsideFactResource>> =>
  admin(`/${fact.service}/${fact.id}/${action}`, 'POST');

/** A fact for a missing topic. */
async function tell(service: ServiceName, topic: string, key: string, value: string): Promise<void> {
  const sql = 'insert into outbox (topic, key, value) values ($1, $2, $3)';
  await queryProduct(product, service, sql, [topic, key, value]);
}

async function listed(query = ''): Promise<readonly SetAsideFactResource[]> {
  const { status, body } = await admin<Listed>(query);
  expect(status).toBe(200);
  return body.data?.items ?? [];
}

/** The refused facts of a topic. */
async function refusedOf(service: ServiceName, topic: string): Promise<readonly SetAsideFactResource[]> {
  return (await listed(`?service=${service}&limit=200`)).filter((fact) => fact.topic === topic);
}

/** Waits for this many refused facts of a topic. */
async function setAside(
  service: ServiceName,
  topic: string,
  count = 1,
): Promise<readonly SetAsideFactResource[]> {
  return eventually(async () => {
    const items = await refusedOf(service, topic);
    return items.length === count && items;
  });
}

/** Since the last fact of this topic was set aside. */
async function isLongAgo(service: ServiceName, topic: string): Promise<boolean> {
  const refused = await refusedOf(service, topic);
  return refused.every(({ at }) => Date.now() - Date.parse(at) > REMEMBERED_MS);
}

async function only(service: ServiceName, topic: string): Promise<SetAsideFactResource> {
  const [fact] = await setAside(service, topic);
  if (fact === undefined) throw new Error('There is one.');
  return fact;
}

const newTopic = () => `test.${randomUUID().slice(0, 8)}.v1`;

/** Lists what a whole product has refused. */
export function whatIsSetAside(launched: () => LaunchedProduct): void {
  beforeAll(async () => {
    product = launched();
    const { kafkaBrokers, topicPrefix } = product.installation;
    messaging = await openMessaging(kafkaBrokers, topicPrefix, 'set-aside-facts');
  });

  afterAll(() => messaging.close());

  describe('GET /api/admin/set-aside-facts (interface page, section 11)', () => {
    it('lists refused facts of every service with an outbox, without their content', async () => {
      expect(OUTBOXES.length).toBeGreaterThan(3);
      const refuse = async (service: ServiceName): Promise<void> => {
        const topic = newTopic();
        await tell(service, topic, 'key-1', 'secret');
        expect(await only(service, topic)).toEqual({
          service,
          id: expect.stringMatching(/^\d+$/),
          topic,
          key: 'key-1',
          bytes: 6,
          reason: expect.stringMatching(/./),
          at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:]{8}\.\d{3}Z$/),
          state: 'waiting',
        });
      };
      await Promise.all(OUTBOXES.map(refuse));
      expect(new Set((await listed()).map(({ service }) => service))).toEqual(new Set(OUTBOXES));
      expect(JSON.stringify(await listed())).not.toContain('secret');
    });

    it('gives them page by page, through all services, each once', async () => {
      const topic = newTopic();
      for (const service of OUTBOXES)
        for (const key of ['a', 'b', 'c']) await tell(service, topic, key, 'value');
      await Promise.all(OUTBOXES.map((service) => setAside(service, topic, 3)));
      for (const limit of [1, 2, 5]) {
        const seen: SetAsideFactResource[] = [];
        for (let cursor: string | null = ''; cursor !== null;) {
          const page: Answer<Listed> = await admin(
            `?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`,
          );
          expect(page.body.data?.items.length).toBeLessThanOrEqual(limit);
          seen.push(...(page.body.data?.items ?? []));
          cursor = page.body.data?.next_cursor ?? null;
        }
        expect(seen).toEqual(await listed('?limit=200'));
        for (const service of OUTBOXES) {
          const keys = seen.filter((fact) => fact.service === service && fact.topic === topic);
          expect(keys.map(({ key }) => key)).toEqual(['a', 'b', 'c']);
        }
      }
    });

    it.each(['service=ingestion', 'service=nobody', 'limit=0', 'limit=201', 'cursor=nonsense', 'colour=red'])(
      'refuses ?%s',
      async (query) => {
        expect((await admin(`?${query}`)).status).toBe(400);
      },
    );

    it('requires the admin secret, and refuses browsers', async () => {
      const url = `${product.adminUrl}/set-aside-facts`;
      expect((await request(url)).status).toBe(401);
      expect((await request(`${url}/management/1/replay`, { method: 'POST' })).status).toBe(401);
      expect((await admin('', 'GET', { origin: 'https://shop.example' })).status).toBe(403);
    });
  });

  describe('POST /api/admin/set-aside-facts/{service}/{id}/replay|discard', () => {
    const trailOf = (service: ServiceName, fact: SetAsideFactResource) =>
      queryProduct(
        product,
        service,
        'select action, actor, action_request_id, topic from outbox_set_aside_actions where fact_id = $1',
        [fact.id],
      );

    async function replayed(service: ServiceName): Promise<void> {
      const topic = newTopic();
      await tell(service, topic, 'key-1', 'told');
      const fact = await only(service, topic);
      await messaging.ensureTopics([{ name: topic, partitions: 1 }]);
      const told: ReceivedFact[] = [];
      const reading = await subscribe(messaging, {
        topics: [topic],
        group: `reader-${topic}`,
        handler: (facts) => {
          told.push(...facts);
          return Promise.resolve();
        },
      });
      // A relay remembers for a moment that the topic is missing, and would set the fact aside again.
      await eventually(async () => {
        await tell(service, topic, 'probe', '');
        return told.length > 0;
      });
      // Another replica's may have told it.
      if (product.processes(service).length > 1) await eventually(() => isLongAgo(service, topic));
      const [one, other] = await Promise.all([act(fact, 'replay'), act(fact, 'replay')]);
      expect([one.status, other.status].toSorted()).toEqual([200, 404]);
      const done = one.status === 200 ? one : other;
      expect(done.body.data).toEqual({ ...fact, state: 'replayed' });
      expect(await trailOf(service, fact)).toEqual([
        {
          action: 'replay',
          actor: 'admin',
          action_request_id: done.body.meta.request_id,
          topic,
        },
      ]);
      const replayed = () => told.filter(({ key }) => key !== 'probe');
      await eventually(() => replayed().length > 0);
      await tell(service, topic, 'key-2', 'later');
      await eventually(() => replayed().some(({ key }) => key === 'key-2'));
      expect(replayed().map(({ key, value }) => [key, String(value)])).toEqual([
        ['key-1', 'told'],
        ['key-2', 'later'],
      ]);
      await reading.close();
    }

    async function discardedForGood(service: ServiceName): Promise<void> {
      const topic = newTopic();
      await tell(service, topic, 'key-1', 'never');
      const fact = await only(service, topic);
      const discarded = await act(fact, 'discard');
      expect([discarded.status, discarded.body.data]).toEqual([200, { ...fact, state: 'discarded' }]);
      expect((await act(fact, 'discard')).status).toBe(404);
      expect((await act(fact, 'replay')).status).toBe(404);
      expect(await setAside(service, topic, 0)).toEqual([]);
      expect(await trailOf(service, fact)).toMatchObject([{ action: 'discard' }]);
    }

    /** All services at once: each relay looks for facts that nobody has told it of every two seconds. */
    const atOnce = (act: (service: ServiceName) => Promise<void>): Map<ServiceName, Promise<void>> => {
      const acts = new Map(OUTBOXES.map((service) => [service, act(service)]));
      for (const each of acts.values()) each.catch(() => undefined);
      return acts;
    };
    let replays: ReadonlyMap<ServiceName, Promise<void>>;
    let discards: ReadonlyMap<ServiceName, Promise<void>>;

    beforeAll(() => {
      replays = atOnce(replayed);
      discards = atOnce(discardedForGood);
    });

    it.each(OUTBOXES)('replays a fact of %s after its cause is fixed, and it is published once', (service) =>
      replays.get(service),
    );

    it.each(OUTBOXES)('gives a fact of %s up for good', (service) => discards.get(service));

    it('a set-aside fact does not undo a newer state of its key: it can only be discarded', async () => {
      const service = 'management';
      const topic = newTopic();
      await tell(service, topic, 'key-1', 'old');
      const fact = await only(service, topic);
      // Like the relay after it has published a newer fact of a compacted topic.
      const sql = 'update outbox_set_aside set is_state = true, is_superseded = true where id = $1';
      await queryProduct(product, service, sql, [fact.id]);
      const refused = await act(fact, 'replay');
      expect([refused.status, refused.body.error?.code]).toEqual([409, 'CONFLICT']);
      expect(await only(service, topic)).toMatchObject({ id: fact.id, state: 'superseded' });
      expect((await act(fact, 'discard')).status).toBe(200);
    });

    it('the replay or discard of an unknown fact, or of a service without an outbox, is 404', async () => {
      for (const place of ['management/987654321', 'management/x', 'ingestion/1', 'nobody/1', `gateway/1`]) {
        for (const action of ['replay', 'discard'])
          expect((await admin(`/${place}/${action}`, 'POST')).status).toBe(404);
      }
    });
  });
}
