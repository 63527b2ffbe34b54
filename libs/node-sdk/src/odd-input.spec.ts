import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { checkConversion, type Conversion, type Event, Truetally, type TruetallyOptions } from './index.js';
import { judgeAnswer } from './judge-answer.js';
import { Outbox } from './outbox.js';
import { API_KEY, ClientBench, event } from './testing/client-bench.js';

const bench = ClientBench.ofEach();
const newClient = (options?: Partial<TruetallyOptions>) => bench.newClient(options);

const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;

describe('input that no type admits', () => {
  it.each([
    ['null', null],
    ['undefined', undefined],
    ['a bigint in its properties', { ...event('a'), properties: { amount: 1n } }],
    ['an id that is a number', { ...event('a'), client_event_id: 7 }],
    [
      'a getter that throws',
      {
        get client_event_id(): string {
          throw new Error('no');
        },
      },
    ],
  ])('an event that is %s fails, and nothing is thrown', async (_, odd) => {
    const { status, error } = await newClient().track(odd as Event);
    expect([status, error?.code]).toEqual(['failed', 'INVALID_EVENT']);
    expect(bench.service.requests).toEqual([]);
  });

  it.each([null, undefined, 7, 'purchase', [], {}, { revenue: 1n }, cycle, { conversion: null }])(
    'a conversion that is none has faults, and is not sent (%#)',
    async (odd) => {
      expect(checkConversion(odd as Conversion).length).toBeGreaterThan(0);
      await expect(newClient().convert(odd as Conversion)).rejects.toMatchObject({
        code: 'CONVERSION_FAULTS',
      });
      expect(bench.service.requests).toEqual([]);
    },
  );

  it('options that are missing, and a user and password in the address, are refused', () => {
    const build = Truetally as unknown as new (options?: object) => Truetally;
    const withUser = bench.service.baseUrl.replace('//', '//user:secret@');
    expect(() => new build()).toThrow('baseUrl must be');
    expect(() => new build({ baseUrl: bench.service.baseUrl })).toThrow('apiKey must look like');
    expect(() => new build({ baseUrl: withUser, apiKey: API_KEY })).toThrow('baseUrl must be');
  });

  it('options that cannot work are refused at once', () => {
    const build = (options: object) => () =>
      new Truetally({ apiKey: API_KEY, baseUrl: bench.service.baseUrl, ...options });
    expect(build({ baseUrl: 'https://shop.example' })).toThrow('baseUrl must be');
    expect(build({ apiKey: 'secret' })).toThrow('apiKey must look like');
    expect(build({ maxAttempts: 0 })).toThrow('maxAttempts must be');
  });

  it('a flush without end waits, and does not spin', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    bench.service.behaviours = ['is-unavailable'];
    const client = newClient({ timeoutMs: 2 ** 40 });
    void client.track(event('a'));
    expect(await client.flush(Number.POSITIVE_INFINITY)).toMatchObject({ stored: 1, pending: 0 });
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });
});

describe('an answer that has objects for texts', () => {
  it('a refusal without texts fails its event alone, and ends nothing', async () => {
    bench.service.behaviours = ['refuses-without-text'];
    const client = newClient();
    const refused = await client.track(event('a'));
    expect([refused.status, refused.error?.code, refused.error?.details]).toEqual([
      'failed',
      'INVALID_ANSWER',
      { 'events.0': [''] },
    ]);
    expect((await client.track(event('b'))).status).toBe('stored');
  });

  it('an event that is stored under no text is stored, and ends nothing', async () => {
    bench.service.behaviours = ['names-no-text'];
    const client = newClient();
    expect(await client.track(event('a'))).toMatchObject({ status: 'stored', event_id: '', timestamp: '' });
    expect((await client.track(event('b'))).status).toBe('stored');
  });
});

describe('a service that never answers', () => {
  it('events and conversions under way end with their client, and say so', async () => {
    bench.service.behaviours = ['never-answers'];
    bench.service.other = () => undefined;
    const client = newClient();
    const tracked = client.track(event('a'));
    const read = client.readOrder('order-1', 'site-1').catch((error: unknown) => error);
    await eventually(() => bench.service.requests.length === 2);
    await client.close(1);
    expect((await tracked).error?.code).toBe('CLOSED');
    expect(await read).toMatchObject({ code: 'CLOSED', isRetryable: true });
  });

  it('what was under way when its client was closed is in the outbox for the next one', async () => {
    bench.service.behaviours = ['never-answers'];
    const first = newClient({ outbox: bench.folder });
    const tracked = first.track(event('a'));
    await eventually(() => bench.service.requests.length === 1);
    await first.close(1);
    expect((await tracked).status).toBe('failed');
    const second = newClient({ outbox: bench.folder });
    expect(await second.flush()).toMatchObject({ stored: 1, pending: 0 });
    await second.close();
    expect(readdirSync(bench.folder)).toEqual([]);
  });
});

describe('the folder of an outbox', () => {
  it('a last line that was torn by a kill is left out, and those before it are sent', async () => {
    const line = (id: string): string => JSON.stringify([id, JSON.stringify(event(id))]);
    writeFileSync(
      join(bench.folder, 'events-000000000000001.ndjson'),
      `${line('a')}\n${line('b')}\n${line('c').slice(0, 40)}`,
    );
    const client = newClient({ outbox: bench.folder });
    expect(await client.flush()).toMatchObject({ stored: 2, failed: 0, pending: 0 });
    await client.close();
    expect([...bench.service.stored.keys()]).toEqual(['a', 'b']);
    expect(readdirSync(bench.folder)).toEqual([]);
  });

  it('an event whose id holds a line end is settled alone', () => {
    const first = new Outbox(bench.folder);
    for (const id of ['a\nb', 'b', 'c']) first.add(id, 'event');
    for (const id of ['a\nb', 'c']) first.settle(id);
    first.close();
    const second = new Outbox(bench.folder);
    expect(second.unsettled()).toEqual([{ id: 'b', text: 'event' }]);
    second.close();
  });

  it('an event is answered although its folder has gone, and later ones go on', async () => {
    const client = newClient({ outbox: bench.folder });
    const tracked = [client.track(event('a')), client.track(event('b'))];
    rmSync(bench.folder, { recursive: true });
    const results = await Promise.all([...tracked, client.track(event('c'))]);
    expect(results.map(({ status }) => status)).toEqual(['stored', 'stored', 'stored']);
  });

  it('a file that cannot be opened fails the events that need it, and closes nothing else', async () => {
    const outbox = new Outbox(bench.folder);
    const add = (number: number): void => outbox.add(String(number), 'event');
    for (let number = 0; number < 1000; number += 1) add(number);
    const blocking = join(bench.folder, 'events-000000000000002.ndjson');
    mkdirSync(blocking);
    expect(() => add(1000)).toThrow('EISDIR');
    const other = openSync(join(bench.folder, 'other'), 'w');
    expect(() => add(1000)).toThrow('EISDIR');
    expect(writeSync(other, 'open')).toBe(4);
    closeSync(other);
    rmSync(blocking, { recursive: true });
    add(1000);
    outbox.close();
    expect(readFileSync(blocking, 'utf8')).toBe('["1000","event"]\n');
  });

  it('an outbox that cannot remove its files is closed all the same, and its folder is free', () => {
    const outbox = new Outbox(bench.folder);
    const blocking = join(bench.folder, 'events-000000000000001.ndjson');
    rmSync(blocking);
    mkdirSync(blocking);
    outbox.close();
    rmSync(blocking, { recursive: true });
    new Outbox(bench.folder).close();
  });

  it('a folder that could not be read is free for the next attempt', () => {
    const blocking = join(bench.folder, 'events-000000000000001.ndjson');
    mkdirSync(blocking);
    expect(() => new Outbox(bench.folder)).toThrow('EISDIR');
    rmSync(blocking, { recursive: true });
    new Outbox(bench.folder).close();
  });

  it('a folder is used by one client of a process', async () => {
    const first = newClient({ outbox: bench.folder });
    expect(() => newClient({ outbox: `${bench.folder}/` })).toThrow('in use');
    await first.close();
    expect(() => newClient({ outbox: bench.folder })).not.toThrow();
  });

  it('an event that is tracked twice at once leaves nothing behind', async () => {
    const client = newClient({ outbox: bench.folder });
    const results = await Promise.all([client.track(event('a')), client.track(event('a'))]);
    expect(results.map(({ status }) => status)).toEqual(['stored', 'duplicate']);
    await client.close();
    expect(readdirSync(bench.folder)).toEqual([]);
  });
});

describe('a signal of the caller', () => {
  const url = '/api/v1/partner-attribution/touches' as const;
  const request = { url, query: { website_id: 'w' } };
  const reason = new Error('The page was left.');
  const cancellation = {
    schema_version: 1 as const,
    idempotency_key: 'k-1',
    website_id: 'w',
    order_id: 'o',
    occurred_at: '2026-01-31T09:30:00Z',
    currency: 'EUR',
    reversed_revenue: '1.00',
  };
  const unavailable = { status: 503, body: {} };

  it('a signal of the caller ends a request that has no answer, and the next page of a list', async () => {
    const left = new AbortController();
    bench.service.other = () => {
      if (bench.service.requests.length === 1)
        return { status: 200, body: { success: true, data: { items: [1], next_cursor: 'c' } } };
      left.abort(reason);
      return undefined;
    };
    const items = newClient({ maxAttempts: 1 }).items(request, { signal: left.signal });
    expect(await items.next()).toEqual({ done: false, value: 1 });
    await expect(items.next()).rejects.toBe(reason);
    expect(bench.service.requests).toHaveLength(2);
  });

  it('a signal of the caller ends the wait between two attempts, and sends nothing more', async () => {
    const left = new AbortController();
    bench.service.other = () => {
      setTimeout(() => left.abort(reason), 50);
      return { ...unavailable, headers: { 'Retry-After': '3600' } };
    };
    await expect(newClient().readOrder('o', 'w', { signal: left.signal })).rejects.toBe(reason);
    expect(bench.service.requests).toHaveLength(1);
  });

  it('a signal that was given before sends nothing', async () => {
    const signal = AbortSignal.abort(reason);
    await expect(newClient().convert(cancellation, { signal })).rejects.toBe(reason);
    expect(bench.service.requests).toEqual([]);
  });

  it('a signal of the caller ends its own call alone', async () => {
    const left = new AbortController();
    bench.service.other = ({ path }) => {
      if (path.includes('left')) return void left.abort(reason);
      return left.signal.aborted
        ? { status: 200, body: { success: true, data: { at: 'end' } } }
        : unavailable;
    };
    const client = newClient();
    const stays = client.readOrder('stays', 'w');
    await expect(client.readOrder('left', 'w', { signal: left.signal })).rejects.toBe(reason);
    expect(await stays).toEqual({ at: 'end' });
  });
});

it('a limit lasts as long as its answer says, however wrong the clock is', () => {
  const now = Date.now();
  const headers = new Headers({
    'Retry-After': '20',
    'X-RateLimit-Reset': String(Math.ceil(now / 1000) + 20),
  });
  const answer = { status: 429, headers, body: {}, text: '', requestId: undefined };
  for (const clock of [now - 1_800_000, now, now + 1_800_000])
    expect(judgeAnswer(answer, clock)).toMatchObject({ kind: 'limited', afterMs: 20_000 });
});

it('a clock that is set back while events wait makes them wait no longer', async () => {
  const { now } = Date;
  const { random } = Math;
  // The longest pause.
  Math.random = () => 0.999;
  bench.service.behaviours = ['is-unavailable'];
  const client = newClient();
  try {
    const tracked = client.track(event('a'));
    await eventually(() => client.diagnostics().requests.length > 0);
    Date.now = () => now() - 3_600_000;
    expect((await tracked).status).toBe('stored');
  } finally {
    Date.now = now;
    Math.random = random;
  }
});
