import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type INestMicroservice } from '@nestjs/common';
import { type Reply } from '@truetally/kernel';
import { eventually, uniqueName } from '@truetally/testing';
import { KafkaAskClient } from '../index.js';
import { HANDLERS_IN_FLIGHT, UNKNOWN_IN_HAND, UNKNOWN_KEPT_MS, UNSTORED_REQUESTS } from '../limits.js';
import { Closing, openBus, type TestBus } from '../testing/bus.js';
import { committedOffsets } from '../testing/raw.js';
import { serveEach } from '../testing/services.js';
import { commandHeaders, HEADER } from '../wire.js';

const PARTITIONS = 3;
const PATIENT_MS = 240_000;
const SMALL_BYTES = 5_000;

const always = (): boolean => true;
const never = (): boolean => false;

let closing: Closing;
let bus: TestBus;
let client: KafkaAskClient;
let topic: string;
let group: string;

type Handlers = Readonly<Record<string, (body: unknown) => Promise<Reply<unknown> | string>>>;

beforeEach(async () => {
  closing = new Closing();
  bus = closing.add(await openBus(), ({ messaging }) => messaging.close());
  topic = uniqueName('commands');
  group = uniqueName('served');
  await bus.messaging.ensureTopics([{ name: topic, partitions: PARTITIONS }]);
  client = closing.add(new KafkaAskClient(bus.messaging, { deadlineMs: PATIENT_MS }), (each) => each.close());
  await client.connect();
});

afterEach(() => closing.closeAll());

const to = (operation: string): string => `${topic}/${operation}`;
const echo = (name: string) => (body: unknown) => Promise.resolve({ ok: { [name]: body } });

/** A replica of the service, which knows these operations. */
async function replica(handlers: Handlers, unstored = UNSTORED_REQUESTS): Promise<INestMicroservice> {
  const addressed = Object.entries(handlers).map(([operation, handle]) => [to(operation), handle] as const);
  return serveEach(bus.messaging, Object.fromEntries(addressed), { group, unstored });
}

async function started(handlers: Handlers, unstored?: number): Promise<INestMicroservice> {
  return closing.add(await replica(handlers, unstored), (each) => each.close());
}

const nothingIsLeft = (count: number): Promise<unknown> =>
  eventually(async () => (await committedOffsets(bus.messaging, `${group}.${topic}`, topic)) === count);

describe('operations of one topic', () => {
  it('operations of one topic are answered each by its own handler, as values or as text', async () => {
    await started({
      create: echo('created'),
      remove: () => Promise.resolve('{"error":{"code":"CONFLICT","message":"No","details":{}}}'),
      count: (body) => Promise.resolve(`{"ok":{"body":${JSON.stringify(body)},"units":90071992547409931}}`),
    });
    const ask = { key: 'k', value: '1' };
    await expect(client.ask({ ...ask, to: to('create') })).resolves.toEqual({ ok: { created: 1 } });
    const refusal = { error: { code: 'CONFLICT', message: 'No', details: {} } };
    await expect(client.ask({ ...ask, to: to('remove') })).resolves.toEqual(refusal);
    const counted = await client.ask({ ...ask, to: to('count'), kind: 'query' });
    expect(JSON.stringify('ok' in counted && counted.ok)).toBe('{"body":1,"units":90071992547409931}');
    expect(bus.total('messaging_asks_total', { topic: to('create'), outcome: 'ok' })).toBe(1);
    expect(bus.total('messaging_dead_letters_total')).toBe(0);
    expect(bus.total('messaging_call_retries_total')).toBe(0);
  });

  it('wait for each other on one key, whichever they are, and for nobody else', async () => {
    const gate = Promise.withResolvers<undefined>();
    const seen: unknown[] = [];
    await started({
      update: async (body) => {
        await gate.promise;
        seen.push(['update', body]);
        return { ok: null };
      },
      remove: (body) => {
        seen.push(['remove', body]);
        return Promise.resolve({ ok: null });
      },
    });
    const held = client.ask({ to: to('update'), key: 'one', value: '1' });
    // Acknowledged in this order: a concurrent ask could be sent first.
    await eventually(async () => (await endOf()) === 1);
    const behind = client.ask({ to: to('remove'), key: 'one', value: '1' });
    await eventually(async () => (await endOf()) === 2);
    // More of them than there are partitions: some share the partition of those that wait.
    const others = Array.from({ length: 4 * PARTITIONS }, (_, index) => `other ${index}`);
    const asks = others.map((key) => client.ask({ to: to('remove'), key, value: JSON.stringify(key) }));
    await expect(Promise.all(asks)).resolves.toEqual(others.map(() => ({ ok: null })));
    expect(seen).not.toContainEqual(['remove', 1]);
    gate.resolve(undefined);
    await Promise.all([held, behind]);
    expect(seen.slice(-2)).toEqual([
      ['update', 1],
      ['remove', 1],
    ]);
  });

  it('requests of a holder that wait for something leave handlers to others, and all are carried out behind it', async () => {
    const gate = Promise.withResolvers<undefined>();
    await started({
      update: (body) => gate.promise.then(() => ({ ok: body })),
      remove: (body) => Promise.resolve({ ok: body }),
    });
    const count = HANDLERS_IN_FLIGHT + 1;
    const ask = { value: '1', holder: 'locked' };
    const held = Array.from({ length: count }, (_, at) =>
      client.ask({ ...ask, to: to('update'), key: `${at}` }),
    );
    await eventually(async () => (await endOf()) === count);
    const other = client.ask({ ...ask, to: to('remove'), key: 'other', holder: 'other' });
    await expect(other).resolves.toEqual({ ok: 1 });
    gate.resolve(undefined);
    await expect(Promise.all(held)).resolves.toEqual(held.map(() => ({ ok: 1 })));
  });

  it('requests of a holder that wait for something are refused beyond its share, and those of others are read', async () => {
    const gate = Promise.withResolvers<undefined>();
    const unstored = 8;
    await started(
      {
        update: (body) => gate.promise.then(() => ({ ok: body })),
        remove: (body) => Promise.resolve({ ok: body }),
      },
      unstored,
    );
    const ask = { value: '1', holder: 'locked' };
    const answers: Reply<unknown>[] = [];
    const held = Array.from({ length: 3 * unstored }, async (_, at) => {
      answers.push(await client.ask({ ...ask, to: to('update'), key: `${at}` }));
    });
    await eventually(() => answers.length === held.length - unstored / 2);
    const refused = { error: { code: 'UNAVAILABLE', message: expect.any(String), details: {} } };
    expect(answers).toEqual(answers.map(() => refused));
    const other = client.ask({ ...ask, to: to('remove'), key: 'other', holder: 'other' });
    await expect(other).resolves.toEqual({ ok: 1 });
    gate.resolve(undefined);
    await Promise.all(held);
    expect(answers.slice(-unstored / 2)).toEqual(Array.from({ length: unstored / 2 }, () => ({ ok: 1 })));
    await nothingIsLeft(held.length + 1);
  });

  it('operations of one topic are shared by the replicas of a service, by key', async () => {
    const seen: [Set<unknown>, Set<unknown>] = [new Set(), new Set()];
    for (const mine of seen) {
      await started({
        create: (body) => {
          mine.add(body);
          return Promise.resolve({ ok: null });
        },
      });
    }
    let asked = 0;
    await eventually(async () => {
      const keys = Array.from({ length: 4 * PARTITIONS }, () => String(asked++));
      await Promise.all(keys.map((key) => client.ask({ to: to('create'), key, value: JSON.stringify(key) })));
      return seen.every(({ size }) => size > 0);
    });
  });
});

describe('an operation that a service does not know', () => {
  it('waits on the log until a release that knows it takes over, and is answered then', async () => {
    const old = await replica({ create: echo('created') });
    const unknown = client.ask({ to: to('archive'), key: 'k', value: '7' });
    await eventually(() => bus.total('messaging_unknown_operations_total', { topic: to('archive') }) > 1);
    // The others do not notice it, whether they share its key or not.
    await expect(client.ask({ to: to('create'), key: 'k', value: '1' })).resolves.toEqual({
      ok: { created: 1 },
    });
    await started({ create: echo('created'), archive: echo('archived') });
    await old.close();
    await expect(unknown).resolves.toEqual({ ok: { archived: 7 } });
    expect(bus.total('messaging_dead_letters_total')).toBe(0);
  });

  it('an unknown operation is unavailable to its asker at the deadline, and is carried out later', async () => {
    const old = await replica({ create: echo('created') });
    const asked = client.ask({ to: to('archive'), key: 'k', value: '8', deadlineMs: 2_500 });
    await expect(asked).resolves.toMatchObject({ error: { code: 'UNAVAILABLE' } });
    await old.close();
    const archived: unknown[] = [];
    await started({
      archive: (body) => {
        archived.push(body);
        return Promise.resolve({ ok: null });
      },
    });
    await eventually(() => archived.length > 0);
    expect(archived).toContain(8);
    expect(bus.total('messaging_dead_letters_total')).toBe(0);
  });

  it('an unknown operation is refused at once as a query, and leaves nothing behind', async () => {
    await started({ create: echo('created') });
    const asked = client.ask({ to: to('search'), key: 'k', value: '1', kind: 'query' });
    await expect(asked).resolves.toMatchObject({ error: { code: 'UNAVAILABLE' } });
    await nothingIsLeft(1);
    expect(bus.total('messaging_dead_letters_total')).toBe(0);
  });

  it('an unknown operation is refused where too many wait, which hold up nobody', async () => {
    await started({ create: echo('created') });
    const unknown = Array.from({ length: 2 * UNKNOWN_IN_HAND }, (_, index) =>
      client.ask({ to: to('archive'), key: String(index), value: '1' }),
    );
    // The first that is answered: the others wait, or are refused, too.
    await expect(Promise.race(unknown)).resolves.toMatchObject({ error: { code: 'UNAVAILABLE' } });
    await expect(client.ask({ to: to('create'), key: 'k', value: '1' })).resolves.toEqual({
      ok: { created: 1 },
    });
    expect(bus.total('messaging_dead_letters_total')).toBe(0);
  });

  it('an unknown operation is a dead letter when it has waited for too long', async () => {
    await started({ create: echo('created') });
    const since = { [HEADER.unknownSince]: String(Date.now() - UNKNOWN_KEPT_MS - 1_000) };
    const headers = { ...commandHeaders('waited', 'archive'), ...since };
    await bus.messaging.publish([{ topic, key: 'k', value: '1', headers }]);
    await eventually(() => bus.total('messaging_dead_letters_total', { topic: to('archive') }) === 1);
    await nothingIsLeft(1);
  });

  it('an unknown operation is a dead letter when it fills the limit of its topic, which goes on', async () => {
    const small = uniqueName('small');
    await bus.messaging.ensureTopics([
      { name: small, partitions: 1, config: { 'max.message.bytes': String(SMALL_BYTES) } },
    ]);
    closing.add(
      await serveEach(
        bus.messaging,
        { [`${small}/create`]: (body) => Promise.resolve({ ok: body }) },
        { group },
      ),
      (each) => each.close(),
    );
    const headers = commandHeaders('filling', 'archive');
    // The largest that Kafka takes, almost: a header more, and it does not.
    let bytes = SMALL_BYTES;
    const publish = () =>
      bus.messaging.publish([{ topic: small, key: 'k', value: JSON.stringify('x'.repeat(bytes)), headers }]);
    while (!(await publish().then(always, never))) bytes -= 10;
    const address = `${small}/archive`;
    await eventually(() => bus.total('messaging_dead_letters_total', { topic: address }) === 1);
    await eventually(async () => (await committedOffsets(bus.messaging, `${group}.${small}`, small)) === 1);
    const ask = { to: `${small}/create`, key: 'k', value: '1' };
    await expect(client.ask(ask)).resolves.toEqual({ ok: 1 });
  });

  it('an unknown operation is a dead letter at once where the message names none', async () => {
    await started({ create: echo('created') });
    await bus.messaging.publish([{ topic, key: 'k', value: '1', headers: commandHeaders('nameless') }]);
    await eventually(() => bus.total('messaging_dead_letters_total', { topic }) === 1);
  });
});

async function endOf(): Promise<number> {
  const offsets = await bus.messaging.administer((admin) =>
    admin.fetchTopicOffsets(bus.messaging.prefixed(topic)),
  );
  return offsets.reduce((sum, { high }) => sum + Number(high), 0);
}
