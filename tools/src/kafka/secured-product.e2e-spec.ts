import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrderResource } from '@truetally/contracts/attribution';
import type { ApiKeyResource, SiteResource } from '@truetally/contracts/management';
import { SERVICE_NAMES } from '@truetally/contracts/services';
import { TOPICS } from '@truetally/contracts/topics';
import { eventually, request, tryToRead, tryToWrite, uniqueName, type Verdict } from '@truetally/testing';
import { launchProduct, type LaunchedProduct } from '@truetally/testing-product';
import { MUTUAL, SecuredStack, USER_PREFIX } from '../testing/secured-stack.js';

const REFUSED = 'TOPIC_AUTHORIZATION_FAILED';
const ORIGIN = 'https://shop.example';

let stack: SecuredStack;
let product: LaunchedProduct;
let site: SiteResource;
let key: ApiKeyResource & { readonly key: string };

beforeAll(async () => {
  const started = await SecuredStack.start();
  stack = started;
  stop = () => started.stop();
  product = await launchProduct({
    stack: { kafkaBrokers: stack.kafka.brokers, databaseUrl: stack.postgres.url },
    admit: (installation) => stack.admit(installation),
    env: { management: { SETTLEMENTS_PULL_INTERVAL_SECONDS: '1' } },
  });
  stop = async () => {
    await product.stop();
    await started.stop();
  };
  site = await product.createSite();
  key = await product.createApiKey(site);
});

/** A product that did not start leaves servers, too. */
let stop: () => Promise<void> = () => Promise.resolve();

afterAll(() => stop());

const backend = (): Record<string, string> => ({ 'x-api-key': key.key });
const operator = (): Record<string, string> => ({ authorization: `Bearer ${product.adminSecret}` });
const topic = (name: string): string => product.installation.topicPrefix + name;

interface Owner {
  readonly headers: Readonly<Record<string, string>>;
  readonly siteId: string;
}

/** A member of a workspace of its own, who has made a site over HTTP. */
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

describe('the product on a Kafka and a Postgres that let in only whom they know', () => {
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

  it('records a touch and a purchase, and answers what the partner earns', async () => {
    const json = {
      event_type: 'purchase',
      conversion: {
        schema_version: 1,
        idempotency_key: 'secured-order',
        website_id: site.id,
        order_id: 'secured-order',
        occurred_at: new Date().toISOString(),
        currency: 'EUR',
        revenue: '37.00',
        commissionable_subtotal: '37.00',
        tax: '0.00',
        shipping: '0.00',
        discount: '0.00',
        lines: [
          {
            line_id: 'cup',
            sku: 'SKU-1',
            quantity: 1,
            unit_price: '37.00',
            subtotal: '37.00',
            discount: '0.00',
            commissionable_amount: '37.00',
          },
        ],
        touch_ids: [],
      },
    };
    const route = `${product.baseUrl}/partner-attribution`;
    const answer = await request(`${route}/conversions`, { headers: backend(), json });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    const order = await request<OrderResource>(`${route}/orders/secured-order?website_id=${site.id}`, {
      headers: backend(),
    });
    expect(order.body.data?.remaining_revenue).toBe('37.00');
  });

  it('makes a site over HTTP, asks every service of it, and erases the site in all of them', async () => {
    const { headers, siteId } = await newOwner();
    const clicks = `analytics/publishers?site_id=${siteId}&from=2026-01-01&to=2026-02-01`;
    for (const path of [`partner-experiments?site_id=${siteId}`, clicks, 'audit-log']) {
      // Every service has to learn of the site first.
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

  it('says every topic and the lag of every group to operators', async () => {
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

/** As a service's user; the one without a password is shown to be one by its certificate. */
const asUser = (service: string, password?: string) => {
  const { sasl } = stack.userSecurity(USER_PREFIX + service, password);
  if (sasl === undefined) throw new Error('No user');
  return { brokers: stack.kafka.brokers, caFile: stack.caFile, sasl };
};
const write = (service: string, name: string): Promise<Verdict> => tryToWrite(asUser(service), topic(name));
const read = (service: string, name: string): Promise<Verdict> =>
  tryToRead(asUser(service), topic(name), topic(`${service}.attempt`));

describe('what a stolen user of Kafka is good for', () => {
  it('nobody but management writes what gateways believe of keys, members, sites and campaigns', async () => {
    const believed = [TOPICS.credentials, TOPICS.members, TOPICS.sites, TOPICS.campaigns];
    for (const { name } of believed) {
      for (const service of SERVICE_NAMES) {
        // A record that nobody can read is as good as none, and management may say such a thing.
        const expected = service === 'management' ? 'done' : REFUSED;
        expect([service, name, await write(service, name)]).toEqual([service, name, expected]);
      }
    }
  });

  it('ingestion asks management for nothing, and pretends to be nobody else', async () => {
    const foreign = [
      TOPICS.createApiKey,
      TOPICS.administerWorkspace,
      TOPICS.recordConversion,
      TOPICS.conversionsRecorded,
      TOPICS.auditRecorded,
    ];
    for (const { name } of foreign) expect([name, await write('ingestion', name)]).toEqual([name, REFUSED]);
    expect(await write('ingestion', TOPICS.eventsStored.name)).toBe('done');
  });

  it('ingestion reads no keys, no members, no conversions and no answers that are for others', async () => {
    const foreign = [TOPICS.credentials, TOPICS.members, TOPICS.conversionsRecorded, TOPICS.createApiKey];
    for (const { name } of foreign) expect([name, await read('ingestion', name)]).toEqual([name, REFUSED]);
    expect(await read('ingestion', TOPICS.trackEvent.name)).toBe('done');
  });

  it("takes no part in another service's groups", async () => {
    const joined = await tryToRead(
      asUser('ingestion'),
      topic(TOPICS.trackEvent.name),
      topic('management.attempt'),
    );
    // Kafka says that it may not; the driver, that nobody would tell it where the group is.
    expect(joined).toBe('KafkaJSGroupCoordinatorNotFound');
  });

  it('without a name, with a wrong password or with a certificate of another authority nothing at all', async () => {
    const name = topic(TOPICS.trackEvent.name);
    const { brokers, caFile } = asUser('gateway');
    expect(await tryToWrite({ brokers, caFile }, name)).not.toBe('done');
    expect(await tryToWrite({ brokers }, name)).not.toBe('done');
    expect(await tryToWrite(asUser('gateway', 'wrong'), name)).toBe('KafkaJSSASLAuthenticationError');
    const mutual = { brokers: stack.mutualBrokers, caFile };
    expect(await tryToWrite(mutual, name)).not.toBe('done');
    expect(await tryToWrite(asUser('gateway'), name)).toBe('done');
    const own = await stack.authority.issue(stack.folder, { name: `${USER_PREFIX}gateway` });
    expect(await tryToWrite({ ...mutual, ...own }, name)).toBe('done');
    expect(product.processes(MUTUAL)[0]?.isRunning).toBe(true);
  });
});
