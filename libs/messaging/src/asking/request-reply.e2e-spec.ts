import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { failure } from '@truetally/kernel';
import { eventually, uniqueName } from '@truetally/testing';
import { firstValueFrom, lastValueFrom } from 'rxjs';
import { type AskContext, type AskLimits, KafkaAskClient } from '../index.js';
import { Closing, openBus, type TestBus } from '../testing/bus.js';
import { serve } from '../testing/services.js';

/** Of an ask that must be answered, while groups are joined on however slow a machine. */
const PATIENT_MS = 240_000;

let closing: Closing;
let bus: TestBus;
let topic: string;

beforeEach(async () => {
  closing = new Closing();
  bus = closing.add(await openBus(), ({ messaging }) => messaging.close());
  topic = uniqueName('ask');
  await bus.messaging.ensureTopics([{ name: topic, partitions: 3 }]);
});

afterEach(() => closing.closeAll());

describe('an ask', () => {
  it('gets the handler’s reply, values and failures alike, and the handler gets the caller', async () => {
    const seen: AskContext[] = [];
    await serving(async (body, context) => {
      seen.push(context);
      return body === 'bad' ? failure('CONFLICT', 'No', { name: ['is taken'] }) : { ok: { body } };
    });
    const client = await asking();
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const good = await client.ask({ to: topic, key: 'k', value: '[1,"ä"]', requestId: 'req-1', traceparent });
    expect(good).toEqual({ ok: { body: [1, 'ä'] } });
    const bad = await client.ask({ to: topic, key: 'k', value: '"bad"', kind: 'query', weight: 7 });
    expect(bad).toEqual(failure('CONFLICT', 'No', { name: ['is taken'] }));
    expect(seen[0]).toMatchObject({ topic, key: 'k', requestId: 'req-1', traceparent, kind: 'command' });
    expect(seen[1]).toMatchObject({ kind: 'query', weight: 7 });
    expect(bus.total('messaging_asks_total', { topic, outcome: 'ok' })).toBe(1);
    expect(bus.total('messaging_asks_total', { topic, outcome: 'error' })).toBe(1);
  });

  it('an ask is answered to the process that asked, each of many at once', async () => {
    await serving(async (body) => ({ ok: body }));
    const other = closing.add(await openBus(), ({ messaging }) => messaging.close());
    const clients = [await asking(), await asking({}, other)];
    const asks = Array.from({ length: 400 }, async (_, index) => {
      const reply = await clients[index % 2]?.ask({ to: topic, key: `k${index}`, value: String(index) });
      expect(reply).toEqual({ ok: index });
    });
    await Promise.all(asks);
    expect(bus.total('messaging_replies_late_total')).toBe(0);
  });

  it('an ask under a correlation id that is being asked already waits for the same reply', async () => {
    const ids: string[] = [];
    await serving(async (_body, { correlationId }) => {
      ids.push(correlationId);
      return { ok: ids.length };
    });
    const client = await asking();
    const ask = { to: topic, key: 'k', value: '1', correlationId: 'the-same' };
    expect(await Promise.all([client.ask(ask), client.ask(ask)])).toEqual([{ ok: 1 }, { ok: 1 }]);
    expect(ids).toEqual(['the-same']);
  });

  it('asks of one key are handled in order, one after the other; other keys overtake', async () => {
    const gate = Promise.withResolvers<undefined>();
    const finished: string[] = [];
    await serving(async (body, { key }) => {
      if (body === 0) await gate.promise;
      finished.push(`${key}${String(body)}`);
      return { ok: null };
    });
    const client = await asking();
    const slow = [0, 1, 2].map((body) => client.ask({ to: topic, key: 'slow', value: String(body) }));
    await client.ask({ to: topic, key: 'quick', value: '1' });
    expect(finished).toEqual(['quick1']);
    gate.resolve(undefined);
    await Promise.all(slow);
    expect(finished).toEqual(['quick1', 'slow0', 'slow1', 'slow2']);
  });

  it('an ask without a reply in time is UNAVAILABLE; the late reply is dropped, the command carried out', async () => {
    const gate = Promise.withResolvers<undefined>();
    const handled: unknown[] = [];
    await serving(async (body) => {
      await gate.promise;
      handled.push(body);
      return { ok: null };
    });
    const client = await asking();
    const startedMs = performance.now();
    const reply = await client.ask({ to: topic, key: 'k', value: '1', deadlineMs: 300 });
    expect(reply).toEqual(failure('UNAVAILABLE', 'No reply came in time'));
    // Timers count whole milliseconds.
    expect(Math.ceil(performance.now() - startedMs)).toBeGreaterThanOrEqual(300);
    expect(handled).toEqual([]);
    gate.resolve(undefined);
    await eventually(() => bus.total('messaging_replies_late_total') === 1);
    expect(handled).toEqual([1]);
    expect(bus.total('messaging_asks_total', { outcome: 'timeout' })).toBe(1);
  });

  it('an ask that is a query is skipped once its deadline has passed, a command is not', async () => {
    const client = await asking();
    const asks = [
      client.ask({ to: topic, key: 'k', value: '"query"', kind: 'query', deadlineMs: 50 }),
      client.ask({ to: topic, key: 'k', value: '"command"', kind: 'command', deadlineMs: 50 }),
    ];
    for (const reply of await Promise.all(asks))
      expect(reply).toMatchObject({ error: { code: 'UNAVAILABLE' } });
    const handled: unknown[] = [];
    await serving(async (body) => {
      handled.push(body);
      return { ok: null };
    });
    await eventually(() => handled.length > 0 && bus.total('messaging_expired_total') === 1);
    expect(handled).toEqual(['command']);
  });

  it('an ask beyond the bound of pending requests is refused at once, and taken when there is room', async () => {
    const gate = Promise.withResolvers<undefined>();
    await serving(async () => {
      await gate.promise;
      return { ok: null };
    });
    const client = await asking({ pendingCount: 3 });
    const taken = [1, 2, 3].map((body) => client.ask({ to: topic, key: `k${body}`, value: String(body) }));
    const refused = await client.ask({ to: topic, key: 'k', value: '4' });
    expect(refused).toEqual(failure('UNAVAILABLE', 'Too many requests are waiting'));
    gate.resolve(undefined);
    expect(await Promise.all(taken)).toEqual([{ ok: null }, { ok: null }, { ok: null }]);
    expect(await client.ask({ to: topic, key: 'k', value: '5' })).toEqual({ ok: null });
  });

  it.each([
    ['as one byte for each character', 'x'.repeat(6_000)],
    ['as two, because of a single character', `${'x'.repeat(3_000)}€`],
  ])('an ask beyond the bound of pending bytes is refused at once; a text counts %s', async (_how, text) => {
    const gate = Promise.withResolvers<undefined>();
    await serving(async () => {
      await gate.promise;
      return { ok: null };
    });
    const client = await asking({ pendingBytes: 10_000 });
    const large = JSON.stringify(text);
    const taken = client.ask({ to: topic, key: 'a', value: large });
    const refused = await client.ask({ to: topic, key: 'b', value: large });
    expect(refused).toEqual(failure('UNAVAILABLE', 'Requests that are waiting take too much memory'));
    gate.resolve(undefined);
    expect(await taken).toEqual({ ok: null });
  });

  it('a message without a reply beyond the bound of pending bytes is refused at once', async () => {
    await serving(async () => ({ ok: null }));
    const client = await asking({ pendingBytes: 10_000 });
    const large = JSON.stringify('x'.repeat(6_000));
    const taken = client.tell({ to: topic, key: 'a', value: large });
    const refused = client.tell({ to: topic, key: 'b', value: large });
    await expect(refused).rejects.toThrow('Requests that are waiting take too much memory');
    await taken;
  });

  it('an ask to a topic that does not exist is UNAVAILABLE, and the asks beside it are answered', async () => {
    await serving(async (body) => ({ ok: body }));
    const client = await asking();
    const nowhere = client.ask({ to: uniqueName('nowhere'), key: 'k', value: '1' });
    const beside = client.ask({ to: topic, key: 'k', value: '2' });
    expect(await beside).toEqual({ ok: 2 });
    expect(await nowhere).toEqual(failure('UNAVAILABLE', 'The request could not be delivered'));
    // Where the search for the topic has taken more than three seconds, Kafka counts as unreachable until it ends.
    const later = await eventually(async () => {
      const reply = await client.ask({ to: topic, key: 'k', value: '3' });
      return 'ok' in reply && reply;
    });
    expect(later).toEqual({ ok: 3 });
  });

  it('an ask that the broker finds too large is UNAVAILABLE, and its neighbours are answered', async () => {
    const small = uniqueName('small');
    await bus.messaging.ensureTopics([
      { name: small, partitions: 1, config: { 'max.message.bytes': '5000' } },
    ]);
    await serving(async (body) => ({ ok: String(body).length }), small);
    const client = await asking();
    const lengths = [10, 20_000, 30, 40];
    const replies = await Promise.all(
      lengths.map((length) => client.ask({ to: small, key: 'k', value: JSON.stringify('x'.repeat(length)) })),
    );
    expect(replies).toEqual([
      { ok: 10 },
      failure('UNAVAILABLE', 'The request could not be delivered'),
      { ok: 30 },
      { ok: 40 },
    ]);
  });

  it('still pending at close is UNAVAILABLE, and the reply topic is deleted', async () => {
    const client = await asking();
    const pending = client.ask({ to: topic, key: 'k', value: '1' });
    const replies = bus.messaging.prefixed(`replies.${bus.messaging.options.instance}`);
    const exists = async (): Promise<boolean> =>
      (await bus.messaging.administer((admin) => admin.listTopics())).includes(replies);
    expect(await exists()).toBe(true);
    await client.close();
    expect(await pending).toEqual(failure('UNAVAILABLE', 'Closed before a reply came'));
    await eventually(async () => !(await exists()));
    expect(await client.ask({ to: topic, key: 'k', value: '1' })).toEqual(failure('UNAVAILABLE', 'Closing'));
  });
});

describe('the Nest client', () => {
  it('sends a command and gives its reply', async () => {
    await serving(async (body) => ({ ok: body }));
    const client = await asking();
    expect(await lastValueFrom(client.send(topic, { name: 'x' }))).toEqual({ ok: { name: 'x' } });
  });

  it('emits what nobody waits for', async () => {
    const handled: unknown[] = [];
    await serving(async (body) => {
      handled.push(body);
      return { ok: null };
    });
    const client = await asking();
    await firstValueFrom(client.emit(topic, [1, 2]), { defaultValue: undefined });
    await client.tell({ to: topic, key: 'k', value: '"told"' });
    await eventually(() => handled.length === 2);
    expect(handled).toEqual(expect.arrayContaining([[1, 2], 'told']));
    expect(bus.total('messaging_replies_late_total')).toBe(0);
  });
});

async function serving(handle: Parameters<typeof serve>[2], served = topic): Promise<void> {
  // The server's measurements are counted with the test's.
  const { onMetric } = bus.messaging;
  const server = closing.add(await openBus({ onMetric }), ({ messaging }) => messaging.close());
  closing.add(await serve(server.messaging, served, handle, { group: uniqueName('group') }), (app) =>
    app.close(),
  );
}

async function asking(limits: Partial<AskLimits> = {}, { messaging } = bus): Promise<KafkaAskClient> {
  const client = new KafkaAskClient(messaging, { deadlineMs: PATIENT_MS, ...limits });
  await client.connect();
  return closing.add(client, (each) => each.close());
}
