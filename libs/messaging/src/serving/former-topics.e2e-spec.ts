import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { eventually, uniqueName } from '@truetally/testing';
import { type FormerTopic, KafkaAskClient } from '../index.js';
import { Closing, openBus, type TestBus } from '../testing/bus.js';
import { committedOffsets } from '../testing/raw.js';
import { serve, serveEach } from '../testing/services.js';

const PATIENT_MS = 60_000;

let closing: Closing;
let bus: TestBus;
let client: KafkaAskClient;
let group: string;
let shared: string;
/** Read by the service's group, beside a topic that stays. */
let beside: FormerTopic;
/** Read by a group of its own, with nothing else in it. */
let alone: FormerTopic;
let staying: string;
let seen: [operation: string, body: unknown][];

beforeEach(async () => {
  closing = new Closing();
  bus = closing.add(await openBus(), ({ messaging }) => messaging.close());
  group = uniqueName('served');
  shared = uniqueName('commands');
  staying = uniqueName('staying');
  beside = { name: uniqueName('former-create'), address: `${shared}/create`, group };
  alone = { name: uniqueName('former-put'), address: `${shared}/put`, group: `${group}.busy` };
  seen = [];
  await make(shared, staying);
  client = closing.add(new KafkaAskClient(bus.messaging, { deadlineMs: PATIENT_MS }), (each) => each.close());
  await client.connect();
});

afterEach(() => closing.closeAll());

const make = (...names: readonly string[]): Promise<void> =>
  bus.messaging.ensureTopics(names.map((name) => ({ name, partitions: 1 })));

const existing = async (): Promise<readonly string[]> =>
  (await bus.messaging.topics()).map(({ name }) => name);

const ask = (to: string, body: number) => client.ask({ to, key: 'k', value: String(body) });

/** The service as it is now. */
async function started(): Promise<void> {
  const handle = (operation: string) => (body: unknown) => {
    seen.push([operation, body]);
    return Promise.resolve({ ok: operation });
  };
  const handlers = {
    [beside.address]: handle('create'),
    [alone.address]: handle('put'),
    [staying]: handle('stay'),
  };
  const service = await serveEach(bus.messaging, handlers, { group, formerTopics: [beside, alone] });
  closing.add(service, (each) => each.close());
}

it('what was sent to a former topic is answered by its operation, like what is sent to that', async () => {
  await make(beside.name, alone.name);
  const asked = [ask(beside.name, 1), ask(alone.name, 2)];
  await started();
  await expect(Promise.all(asked)).resolves.toEqual([{ ok: 'create' }, { ok: 'put' }]);
  await expect(ask(beside.name, 3)).resolves.toEqual({ ok: 'create' });
  await expect(ask(beside.address, 4)).resolves.toEqual({ ok: 'create' });
  await expect(ask(staying, 5)).resolves.toEqual({ ok: 'stay' });
  expect(seen.filter(([operation]) => operation === 'create')).toEqual([
    ['create', 1],
    ['create', 3],
    ['create', 4],
  ]);
  expect(bus.total('messaging_dead_letters_total')).toBe(0);
});

it('goes on where the former release has stopped', async () => {
  await make(beside.name);
  const old = await serve(bus.messaging, beside.name, () => Promise.resolve({ ok: 'old' }), { group });
  await expect(ask(beside.name, 1)).resolves.toEqual({ ok: 'old' });
  await old.close();
  expect(await committedOffsets(bus.messaging, group, beside.name)).toBe(1);
  const asked = ask(beside.name, 2);
  await started();
  await expect(asked).resolves.toEqual({ ok: 'create' });
  expect(seen).toEqual([['create', 2]]);
});

it('shares former topics with a process of the former release, whoever leads the group', async () => {
  await make(beside.name);
  const answer = () => Promise.resolve({ ok: 'create' });
  const old = closing.add(
    await serveEach(bus.messaging, { [beside.name]: answer, [staying]: answer }, { group }),
    (each) => each.close(),
  );
  await started();
  for (const body of [1, 2, 3]) {
    await expect(ask(beside.name, body)).resolves.toEqual({ ok: 'create' });
    await expect(ask(beside.address, body)).resolves.toEqual({ ok: 'create' });
  }
  await old.close();
  await expect(ask(beside.name, 4)).resolves.toEqual({ ok: 'create' });
  expect(seen).toContainEqual(['create', 4]);
});

it('creates none, and waits for none', async () => {
  await started();
  await expect(ask(alone.address, 1)).resolves.toEqual({ ok: 'put' });
  await expect(ask(staying, 2)).resolves.toEqual({ ok: 'stay' });
  expect(bus.messaging.healthy()).toBe(true);
  const names = await existing();
  expect(names).toContain(shared);
  expect(names).not.toContain(beside.name);
  expect(names).not.toContain(alone.name);
});

it('goes on with the others, and stays healthy, when they are deleted while it reads them', async () => {
  await make(beside.name, alone.name);
  await started();
  await expect(ask(beside.name, 1)).resolves.toEqual({ ok: 'create' });
  await expect(ask(alone.name, 2)).resolves.toEqual({ ok: 'put' });
  const names = [beside.name, alone.name];
  const topics = names.map((name) => bus.messaging.prefixed(name));
  await bus.messaging.administer((admin) => admin.deleteTopics({ topics }));
  await eventually(() => bus.total('messaging_consumer_restarts_total', { group: alone.group }) > 0);
  await eventually(() => bus.total('messaging_consumer_restarts_total', { group }) > 0);
  await expect(ask(staying, 3)).resolves.toEqual({ ok: 'stay' });
  await expect(ask(alone.address, 4)).resolves.toEqual({ ok: 'put' });
  await eventually(() => bus.messaging.healthy());
  const left = await existing();
  expect(names.filter((name) => left.includes(name))).toEqual([]);
});
