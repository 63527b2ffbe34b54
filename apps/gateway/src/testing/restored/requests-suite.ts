import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConversionAccepted } from '@truetally/contracts/attribution';
import type { AssignmentResource, ExperimentResource } from '@truetally/contracts/experiments';
import type { PublisherReport } from '@truetally/contracts/publisher';
import type { ServiceName } from '@truetally/contracts/services';
import {
  type Answer,
  eventually,
  ManagedProcess,
  NODE_BINARY,
  programEnvironment,
  REPOSITORY_ROOT,
  request,
} from '@truetally/testing';
import type { LaunchedProduct } from '@truetally/testing-product';
import { DatabaseCopy, stopServices } from '../database-copy.js';
import { dataOf, ExperimentShop, ordersOf } from '../experiment-shop.js';
import { touch } from '../touch-page.js';

/** Those that are restored. */
export const SERVICES = [
  'management',
  'ingestion',
  'attribution-ledger',
  'experiments',
  'publisher-analytics',
  'analytics',
] as const satisfies readonly ServiceName[];
/** Enough of them to sell: nobody reads what they publish. */
const SELLING = ['management', 'ingestion', 'attribution-ledger'] as const satisfies readonly ServiceName[];
const PATIENCE = { timeoutMs: 240_000 };
const PRICE = 20;

let product: LaunchedProduct;
let copy: DatabaseCopy;
let shop: ExperimentShop;
let experiment: ExperimentResource;

/** The requests of a visitor who buys, and what was answered. */
interface Visit {
  readonly session: string;
  readonly event: object;
  readonly click: object;
  readonly touch: object;
  readonly order: object;
  readonly eventIds: readonly string[];
  readonly assignment: AssignmentResource;
  readonly record: Pick<ConversionAccepted, 'conversion_id' | 'order_id' | 'record_id'>;
}

type Tracked = Answer<{ event_id: string; deduplicated?: boolean }>;

const send = <T>(path: string, json: object): Promise<Answer<T>> =>
  request<T>(`${product.baseUrl}/${path}`, { json, headers: { 'x-api-key': shop.key } });
const track = (event: object): Promise<Tracked> => send('events/track', event);
const convert = (order: object): Promise<Answer<ConversionAccepted>> =>
  send('partner-attribution/conversions', order);
const sendTouch = (one: object): Promise<Answer<{ touches: readonly { status: string }[] }>> =>
  request(`${product.baseUrl}/partner-attribution/touches`, {
    json: { touches: [one] },
    headers: { authorization: `Bearer ${shop.token}`, origin: 'https://shop.example' },
  });

async function visit(): Promise<Visit> {
  const session = randomUUID();
  const event = eventOf(session, { event_type: 'page_view' });
  const click = eventOf(session, {
    event_type: 'partner_link_click',
    properties: {
      provider: 'awin',
      click_reference: randomUUID(),
      destination_url: 'https://partner.example/',
    },
  });
  const tracked = [await track(event), await track(click)];
  expect(tracked.map(({ status }) => status)).toEqual([201, 201]);
  const one = touch({ session_id: session, occurred_at: new Date().toISOString() });
  expect((await sendTouch(one)).status).toBe(201);
  const assignment = await eventually(
    async () => (await shop.assign(session)).body.data?.assignments.at(0),
    PATIENCE,
  );
  const order = ordersOf(shop).purchase(`order-${session}`, PRICE, {
    touch_ids: [one['touch_id']],
    experiment_assignment_ids: [assignment.assignment_id],
  });
  const sold = await convert(order);
  expect(sold.status).toBe(201);
  const eventIds = tracked.map((answer) => dataOf(answer).event_id);
  const { conversion_id, order_id, record_id } = dataOf(sold);
  const record = { conversion_id, order_id, record_id };
  return { session, event, click, touch: one, order, eventIds, assignment, record };
}

/** A sale to a session that was assigned before, however often it takes until services answer. */
async function sell(
  other: ExperimentShop,
  session: string,
  { assignment_id }: AssignmentResource,
): Promise<void> {
  const headers = { 'x-api-key': other.key };
  const purchase = eventOf(session, {
    event_type: 'purchase',
    properties: { order_id: `order-${session}`, total: PRICE },
  });
  const order = ordersOf(other).purchase(`order-${session}`, PRICE, {
    experiment_assignment_ids: [assignment_id],
  });
  for (const send of [
    () => request(`${product.baseUrl}/events/track`, { json: purchase, headers }),
    () => other.convert(order),
  ])
    await eventually(async () => [200, 201].includes((await send()).status), PATIENCE);
}

function eventOf(session: string, fields: object): object {
  return {
    session_id: session,
    client_event_id: randomUUID(),
    occurred_at: new Date().toISOString(),
    context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0 Firefox/140.0' },
    ...fields,
  };
}

/** What owners see; waits until so many visits are counted. */
async function seen(visits: number): Promise<readonly unknown[]> {
  const results = await eventually(
    async () => {
      const { data } = (await shop.results(experiment.id)).body;
      if (data === undefined) return undefined;
      const { control, treatment } = data.arms;
      return control.converted_sessions + treatment.converted_sessions >= visits ? data.arms : undefined;
    },
    { ...PATIENCE, message: 'the results' },
  );
  const report = await eventually(
    async () => {
      const query = `analytics/publishers?site_id=${shop.site.id}`;
      const { data } = (await shop.merchant.get<PublisherReport>(query)).body;
      return data !== undefined && data.observed_clicks >= visits ? data.observed_clicks : undefined;
    },
    { ...PATIENCE, message: 'the clicks' },
  );
  return [results, report];
}

async function storedEvents(): Promise<readonly string[]> {
  const { rows } = await copy.owner.query<{ event_id: string }>(
    `select event_id from ${product.schema('ingestion')}.events where site_id = $1`,
    [shop.site.id],
  );
  return rows.map(({ event_id }) => event_id).toSorted();
}

/** A command of `tools`, as the database's owner. */
async function run(
  name: string,
  parameters: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const { databaseUrl, kafkaBrokers } = product.installation;
  const command = await ManagedProcess.start({
    name,
    command: NODE_BINARY,
    args: [join(REPOSITORY_ROOT, 'tools', 'dist', `${name}.js`), ...parameters],
    env: { ...programEnvironment(), DATABASE_URL: databaseUrl, KAFKA_BROKERS: kafkaBrokers, ...env },
  });
  const { code } = await command.exited;
  await eventually(() => command.output().endsWith('\n'));
  return { code, output: command.output() };
}

const restoredWith = (
  env: Readonly<Record<string, string>>,
  ...parameters: readonly string[]
): ReturnType<typeof run> => {
  const { topicPrefix, schemaPrefix } = product.installation;
  const prefixes = ['--topic-prefix', topicPrefix, '--schema-prefix', schemaPrefix];
  return run('restored', [...prefixes, ...parameters], env);
};

const restored = (...parameters: readonly string[]): ReturnType<typeof run> =>
  restoredWith({}, ...parameters);

async function warns(service: ServiceName): Promise<boolean> {
  const port = product.processes(service)[0]?.operationsPort ?? 0;
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return /^truetally_restored_without_rewind\{.*\} 1$/m.test(metrics);
}

async function expectSound(): Promise<void> {
  const checks = {
    'ledger-verify': 'attribution-ledger',
    'publisher-verify': 'publisher-analytics',
    'experiments-verify': 'experiments',
    'analytics-verify': 'analytics',
  } as const;
  for (const [check, service] of Object.entries(checks)) {
    const { code, output } = await run(check, [], {
      DATABASE_SCHEMA: product.schema(service),
      INGESTION_SCHEMA: product.schema('ingestion'),
      LEDGER_SCHEMA: product.schema('attribution-ledger'),
    });
    expect([check, code, code === 0 ? '' : output]).toEqual([check, 0, '']);
  }
}

/** Needs the restored services apart from the gateway. */
export function whatIsAnsweredAgain(launched: () => LaunchedProduct): void {
  describe('Postgres restored to an earlier point', () => {
    beforeAll(async () => {
      product = launched();
      copy = await DatabaseCopy.open(product, SERVICES);
      shop = await ExperimentShop.open(product, { publisher_mode: 'active' });
      experiment = await shop.running();
      await shop.rule({ provider: 'awin', type: 'percentage', rate: '0.05' });
    });

    afterAll(() => copy.close());

    it('a restored product has everything again that was answered after its point, once, when the groups were set back', async () => {
      const before = await visit();
      await seen(1);
      const other = await ExperimentShop.open(product);
      const otherExperiment = await other.running();
      const session = randomUUID();
      const assigned = await other.assigned(session);
      await copy.take();
      const point = new Date().toISOString();
      const after = await visit();
      const known = await seen(2);
      const events = await storedEvents();
      expect(events).toEqual([...before.eventIds, ...after.eventIds].toSorted());

      // Refused before it asks ClickHouse, whose copy it would take back: nobody listens there.
      const clickHouse = { ANALYTICS_STORE: 'clickhouse', CLICKHOUSE_URL: 'http://127.0.0.1:1' };
      const refused = await restoredWith(clickHouse, '--to', point);
      expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('ingestion.track-event')]);
      await stopServices(product, SERVICES);
      await copy.restore();
      // As in a cluster that was recovered to a point in time.
      for (const service of SERVICES)
        await copy.owner.query(`update ${product.schema(service)}.incarnations set database = 'earlier'`);
      expect(await storedEvents()).toEqual(before.eventIds.toSorted());

      await product.addTogether(SERVICES);
      for (const service of SERVICES)
        await eventually(() => warns(service), { ...PATIENCE, message: `the warning of ${service}` });
      expect(await storedEvents()).toEqual(before.eventIds.toSorted());
      await stopServices(product, SERVICES);

      // The report is late: meanwhile shops sell, and what is published of it is unread when services stop.
      await product.addTogether(SELLING);
      await sell(other, session, assigned);
      await stopServices(product, SELLING);

      // A member whose process ended while it joined remains one for some seconds, and the command says so.
      let done = await restored('--to', point);
      await eventually(
        async () => {
          if (done.code !== 0) done = await restored('--to', point);
          return done.code === 0;
        },
        { ...PATIENCE, intervalMs: 3_000, message: () => done.output },
      );
      expect([done.code, done.output]).toEqual([0, expect.stringContaining('ingestion.track-event/')]);
      const again = await restored('--to', point);
      expect([again.code, again.output]).toEqual([0, expect.stringContaining('Done: 0 partitions')]);
      await product.addTogether(SERVICES);
      // A touch may be matched with its order later than before.
      await eventually(async () => isDeepStrictEqual(await seen(2), known), {
        ...PATIENCE,
        message: 'what was known',
      });
      const { arms } = await other.resultsWhen(
        otherExperiment.id,
        ({ arms: { control, treatment } }) => control.converted_sessions + treatment.converted_sessions > 0,
      );
      expect(arms[assigned.variant].converted_sessions).toBe(1);
      await eventually(async () => (await storedEvents()).length === events.length, PATIENCE);
      expect(await storedEvents()).toEqual(events);
      for (const service of SERVICES) {
        await eventually(async () => !(await warns(service)), { message: `the end of ${service}'s warning` });
      }

      for (const { session, event, click, touch: one, order, ...first } of [before, after]) {
        const tracked = [await track(event), await track(click)];
        expect(tracked.map(({ status, body }) => [status, body.data?.event_id])).toEqual(
          first.eventIds.map((id) => [200, id]),
        );
        expect((await sendTouch(one)).body.data?.touches.map(({ status }) => status)).toEqual(['unchanged']);
        const sold = await convert(order);
        expect([sold.status, sold.body.data]).toEqual([200, expect.objectContaining(first.record)]);
        expect((await shop.assign(session)).body.data?.assignments).toEqual([first.assignment]);
      }
      expect(await seen(2)).toEqual(known);
      expect(await storedEvents()).toEqual(events);
      await expectSound();
    });

    it('services that run stop warning of a promoted standby when its operator says that nothing was lost', async () => {
      const known = await storedEvents();
      for (const service of SERVICES)
        await copy.owner.query(`update ${product.schema(service)}.incarnations set database = 'the primary'`);
      for (const service of SERVICES)
        await eventually(() => warns(service), { ...PATIENCE, message: `the warning of ${service}` });
      const both = await restored('--nothing-lost', '--to', new Date().toISOString());
      expect([both.code, both.output]).toEqual([
        1,
        expect.stringContaining('--to belongs to a restore: either --to or --nothing-lost.'),
      ]);
      const told = await restored('--nothing-lost');
      expect([told.code, told.output]).toEqual([0, expect.stringContaining('Done: no group was set back.')]);
      for (const service of SERVICES)
        await eventually(async () => !(await warns(service)), {
          ...PATIENCE,
          message: `the end of ${service}'s warning`,
        });
      expect(await storedEvents()).toEqual(known);
    });
  });
}
