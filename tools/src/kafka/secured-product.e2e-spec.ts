import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrderResource } from '@truetally/contracts/attribution';
import { type ApiKeyResource, MANAGEMENT, type SiteResource } from '@truetally/contracts/management';
import { SERVICE_NAMES, SERVICES, sharedTopicsOf } from '@truetally/contracts/services';
import { TOPICS } from '@truetally/contracts/topics';
import { requireSight } from '@truetally/messaging';
import { connectionOf } from '@truetally/persistence';
import { eventually, request, tryToRead, tryToWrite, uniqueName, type Verdict } from '@truetally/testing';
import {
  launchProduct,
  type LaunchedProduct,
  openMessaging,
  plainPurchase,
  ShopLoad,
} from '@truetally/testing-product';
import pg from 'pg';
import { SECURITY_FAULTS } from '../testing/secured-faults.js';
import { MUTUAL, SecuredStack, USER_PREFIX } from '../testing/secured-stack.js';

const REFUSED = 'TOPIC_AUTHORIZATION_FAILED';
const ORIGIN = 'https://shop.example';
const soldAt = new Date().toISOString();
const CLIENTS = 3;
/** Of two clients with one event and one with five. */
const SOME_EVENTS = 7;
/** Characters by which the end of the logs is found again. */
const LOGS_END = 500;

let stack: SecuredStack;
let product: LaunchedProduct;
let site: SiteResource;
let key: ApiKeyResource & { readonly key: string };

beforeAll(async () => {
  const started = await SecuredStack.start();
  stack = started;
  stop = () => started.stop();
  product = await launchProduct({
    stack: { kafkaBrokers: stack.brokers, databaseUrl: stack.servers.postgres.url },
    admit: (installation) => stack.admit(installation),
    inOneProcess: true,
    hasFewPartitions: true,
    env: { management: { SETTLEMENTS_PULL_INTERVAL_SECONDS: '1' } },
  });
  stop = async () => {
    await product.stop();
    await started.stop();
  };
  site = await product.createSite();
  key = await product.createApiKey(site);
});

/** A failed start leaves servers behind, too. */
let stop: () => Promise<void> = () => Promise.resolve();

afterAll(() => stop());

const backend = (): Record<string, string> => ({ 'x-api-key': key.key });
const operator = (): Record<string, string> => ({ authorization: `Bearer ${product.adminSecret}` });
const topic = (name: string): string => product.installation.topicPrefix + name;

interface Owner {
  readonly headers: Readonly<Record<string, string>>;
  readonly siteId: string;
}

/** The owner of a new workspace, with a site that was created over HTTP. */
async function newOwner(): Promise<Owner> {
  const sub = uniqueName('owner');
  await product.asks.createWorkspace({ name: sub, owner_sub: sub });
  const headers = { authorization: `Bearer ${await product.idToken({ sub })}` };
  const made = await eventually(async () => {
    const json = {
      name: 'Shop',
      domain: 'shop.example',
      allowed_origins: [ORIGIN],
      publisher_mode: 'active',
    };
    const answer = await request<SiteResource>(`${product.baseUrl}/sites`, { headers, json });
    return answer.status === 201 ? answer.body.data : undefined;
  });
  return { headers, siteId: made.id };
}

const purchase = (orderId: string) => plainPurchase({ siteId: site.id, orderId, occurredAt: soldAt });

/** Retries until the answer is 201 or 200, like a shop's backend. */
async function buy(orderId: string): Promise<void> {
  const json = purchase(orderId);
  const url = `${product.baseUrl}/partner-attribution/conversions`;
  await eventually(async () => {
    const { status } = await request(url, { headers: backend(), json });
    if (status !== 503) expect([200, 201]).toContain(status);
    return status !== 503;
  });
}

/** Everything that would need an operator. */
async function given(path: string): Promise<readonly unknown[] | undefined> {
  const answer = await request<{ items: unknown[] }>(`${product.adminUrl}/${path}`, { headers: operator() });
  return answer.body.data?.items;
}

describe('the product on a Kafka and a Postgres with TLS and authentication', () => {
  it('stores an event, and knows it again', async () => {
    const json = {
      event_type: 'product_view',
      session_id: 's-1',
      client_event_id: 'secured-1',
      properties: { product_id: 'SKU-1' },
      context: { page_url: `${ORIGIN}/sku-1`, user_agent: 'test' },
    };
    const send = () =>
      request<{ event_id: string }>(`${product.baseUrl}/events/track`, { headers: backend(), json });
    const first = await send();
    expect(first.status).toBe(201);
    const second = await send();
    expect([second.status, second.body.data?.event_id]).toEqual([200, first.body.data?.event_id]);
  });

  it('records a touch and a purchase, and answers the partner’s commission', async () => {
    const json = purchase('secured-order');
    const route = `${product.baseUrl}/partner-attribution`;
    const answer = await request(`${route}/conversions`, { headers: backend(), json });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    const order = await request<OrderResource>(`${route}/orders/secured-order?website_id=${site.id}`, {
      headers: backend(),
    });
    expect(order.body.data?.remaining_revenue).toBe('20.00');
  });

  it('makes a site over HTTP, asks every service of it, and erases the site in all of them', async () => {
    const { headers, siteId } = await newOwner();
    const clicks = `analytics/publishers?site_id=${siteId}&from=2026-01-01&to=2026-02-01`;
    for (const path of [`partner-experiments?site_id=${siteId}`, clicks, 'audit-log']) {
      // Every service must know the site first.
      const answered = async () => (await request(`${product.baseUrl}/${path}`, { headers })).status === 200;
      await eventually(answered, { message: path });
    }
    const deleted = await request<{ job_id: string }>(`${product.baseUrl}/sites/${siteId}`, {
      method: 'DELETE',
      headers,
    });
    expect(deleted.status).toBe(200);
    const job = `${product.baseUrl}/jobs/${deleted.body.data?.job_id}`;
    await eventually(
      async () => (await request<{ state: string }>(job, { headers })).body.data?.state === 'completed',
    );
  });

  it('reports every topic and the lag of every group to operators', async () => {
    const topics = await request<{ items: { topic: string }[] }>(`${product.adminUrl}/topics`, {
      headers: operator(),
    });
    const named = topics.body.data?.items.map(({ topic: name }) => name);
    expect(named).toEqual(expect.arrayContaining(Object.values(TOPICS).map(({ name }) => name)));
    const consumers = await request<{ items: { group: string }[] }>(`${product.adminUrl}/consumers`, {
      headers: operator(),
    });
    const groups = new Set(consumers.body.data?.items.map(({ group }) => group.split('.')[0]));
    expect([...groups].toSorted()).toEqual(SERVICE_NAMES.filter((name) => name !== 'gateway').toSorted());
  });
});

/**
 * The tests run in sequence while shops continue to send, so that the remains of a fault would appear in the
 * next test.
 */
describe('a wrong certificate, password or right at run time (issue: infrastructure errors are not poison)', () => {
  let load: ShopLoad;
  let owner: pg.Client;

  beforeAll(async () => {
    owner = new pg.Client(connectionOf(stack.servers.postgres.url));
    await owner.connect();
    load = new ShopLoad(() => [product.baseUrl], key.key, CLIENTS);
  });

  afterAll(async () => {
    await load.stop();
    await owner.end();
  });

  /**
   * In how many lines a service has said it since the logs ended so: they name it, because all are in one process. The
   * logs forget their beginning.
   */
  async function said(what: RegExp, end: string): Promise<number> {
    const logs = await product.logs();
    const place = logs.lastIndexOf(end);
    const times = new Map<string, number>();
    for (const line of logs.slice(place === -1 ? 0 : place + end.length).split('\n')) {
      if (!what.test(line)) continue;
      const service = /"service":"([\w-]+)"/.exec(line)?.[1];
      if (service !== undefined) times.set(service, (times.get(service) ?? 0) + 1);
    }
    return Math.max(0, ...times.values());
  }

  it.each(SECURITY_FAULTS)(
    '$what: no request is given up, and everything continues when it is corrected',
    async (fault) => {
      const secured = { stack, product, owner };
      await load.more(SOME_EVENTS);
      const end = (await product.logs()).slice(-LOGS_END);
      await fault.begin(secured);
      const bought = buy(`during: ${fault.what}`);
      await eventually(async () => (await said(fault.says, end)) >= fault.times, {
        message: () => `a service to say ${fault.says} ${fault.times} times`,
      });
      await fault.end(secured);
      await bought;
      await load.more(SOME_EVENTS);
    },
  );

  it('afterwards every answer is true, every fact is published, and nothing needs an operator', async () => {
    await load.stop();
    expect(load.unexpected).toEqual([]);
    const { rows } = await owner.query<{ id: string; event_id: string }>(
      `select client_event_id as id, event_id from ${product.schema('ingestion')}.events
       where client_event_id = any($1)`,
      [[...load.told.keys()]],
    );
    expect(rows).toHaveLength(load.told.size);
    expect(rows.filter(({ id, event_id }) => load.told.get(id)?.eventIds.has(event_id) !== true)).toEqual([]);
    for (const { name } of SERVICES.filter(({ hasOutbox }) => hasOutbox)) {
      const left = `select count(*)::int as count from ${product.schema(name)}.outbox`;
      await eventually(async () => (await owner.query<{ count: number }>(left)).rows[0]?.count === 0);
    }
    expect(await given('set-aside-facts')).toEqual([]);
    expect(await given('dead-letters')).toEqual([]);
  });
});

/** Connects as a service's user; the one without a password authenticates with its certificate. */
const asUser = (service: string, password?: string) => {
  const { sasl } = stack.userSecurity(USER_PREFIX + service, password);
  if (sasl === undefined) throw new Error('No user');
  return { brokers: stack.brokers, caFile: stack.caFile, sasl };
};
const write = (service: string, topics: readonly { readonly name: string }[]): Promise<readonly Verdict[]> =>
  tryToWrite(
    asUser(service),
    topics.map(({ name }) => topic(name)),
  );
const read = (service: string, name: string): Promise<Verdict> =>
  tryToRead(asUser(service), topic(name), topic(`${service}.attempt`));

describe('the effect of a stolen Kafka user', () => {
  it('only management can write the gateways’ tables of keys, members, sites and campaigns', async () => {
    const believed = [TOPICS.credentials, TOPICS.members, TOPICS.sites, TOPICS.campaigns];
    for (const service of SERVICE_NAMES) {
      // An unreadable record has no effect, and management may write it.
      const expected = service === 'management' ? 'done' : REFUSED;
      const verdicts = await write(service, believed);
      expect([service, verdicts]).toEqual([service, believed.map(() => expected)]);
    }
  });

  it('ingestion cannot ask management, and cannot use another service’s names', async () => {
    const foreign = [
      ...sharedTopicsOf(MANAGEMENT),
      TOPICS.recordConversion,
      TOPICS.conversionsRecorded,
      TOPICS.auditRecorded,
    ];
    expect(await write('ingestion', foreign)).toEqual(foreign.map(() => REFUSED));
    expect(await write('ingestion', [TOPICS.eventsStored])).toEqual(['done']);
  });

  it('ingestion reads no keys, no members, no conversions and no answers that are for others', async () => {
    const foreign = [
      TOPICS.credentials,
      TOPICS.members,
      TOPICS.conversionsRecorded,
      ...sharedTopicsOf(MANAGEMENT),
    ];
    for (const { name } of foreign) expect([name, await read('ingestion', name)]).toEqual([name, REFUSED]);
    expect(await read('ingestion', TOPICS.trackEvent.name)).toBe('done');
  });

  it("a stolen Kafka user cannot join another service's groups", async () => {
    const joined = await tryToRead(
      asUser('ingestion'),
      topic(TOPICS.trackEvent.name),
      topic('management.attempt'),
    );
    // Kafka answers that it is not authorised; the driver reports that it cannot find the group's coordinator.
    expect(joined).toBe('KafkaJSGroupCoordinatorNotFound');
  });

  it('a restore is refused to a user who does not see every topic and group, whom Kafka shows a shorter list', async () => {
    const { topicPrefix } = product.installation;
    const [services, topics] = [['ingestion', 'attribution-ledger'], [TOPICS.trackEvent.name]];
    const messaging = await openMessaging(
      stack.brokers,
      topicPrefix,
      'restored',
      stack.userSecurity(`${USER_PREFIX}ingestion`),
    );
    try {
      await expect(requireSight(messaging, { owners: ['ingestion'], topics })).resolves.toBeUndefined();
      await expect(requireSight(messaging, { owners: services, topics })).rejects.toThrow(
        'This user may not describe the groups of attribution-ledger.',
      );
      await expect(
        requireSight(messaging, { owners: [], topics: [TOPICS.recordConversion.name] }),
      ).rejects.toThrow(`${TOPICS.recordConversion.name}, or does not show it to this user`);
    } finally {
      await messaging.close();
    }
  });

  it('a client without a name, with a wrong password or a foreign certificate can do nothing in Kafka', async () => {
    const names = [topic(TOPICS.trackEvent.name)];
    const { brokers, caFile } = asUser('gateway');
    expect(await tryToWrite({ brokers, caFile }, names)).not.toEqual(['done']);
    expect(await tryToWrite({ brokers }, names)).not.toEqual(['done']);
    expect(await tryToWrite(asUser('gateway', 'wrong'), names)).toEqual(['KafkaJSSASLAuthenticationError']);
    const mutual = { brokers: stack.servers.mutualBrokers, caFile };
    expect(await tryToWrite(mutual, names)).not.toEqual(['done']);
    expect(await tryToWrite(asUser('gateway'), names)).toEqual(['done']);
    const own = await stack.servers.authority.issue(stack.servers.folder, { name: `${USER_PREFIX}gateway` });
    expect(await tryToWrite({ ...mutual, ...own }, names)).toEqual(['done']);
    expect(product.processes(MUTUAL)[0]?.isRunning).toBe(true);
  });
});
