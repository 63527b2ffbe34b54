import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { type Cluster } from 'kafkajs';
import { fetchesThatEnd, OpenFetches } from './open-fetches.js';

const WHEN_IDLE = { minBytes: 1, waitMs: 2_000 };
const WHEN_BUSY = { minBytes: 1_000, waitMs: 500 };
const WHEN_QUIET = { minBytes: 1, waitMs: 8_000 };
const HEARTBEAT_MS = 700;

interface Batch {
  readonly topic: string;
  readonly partition: number;
  readonly messages: readonly string[];
  readonly rawMessages: readonly string[];
}
type Batches = readonly Batch[];
const PARTITION = { topic: 'topic', partition: 0 };
interface Fetch {
  readonly broker: number;
  readonly minBytes: number;
  readonly waitMs: number;
  answer(batches: Batches): void;
  fail(error: Error): void;
}

/** A member as the driver's: each fetch waits for its answer, and recovers from failures without messages. */
class Member {
  readonly fetches: Fetch[] = [];
  readonly recovered: unknown[] = [];
  heartbeats = 0;
  /** The group changes: the next heartbeat is answered so. */
  change: Error | undefined;
  minBytes = 0;
  maxWaitTime = 0;
  lastRequest = Date.now();
  readonly memberId = 'member';
  readonly generationId = 1;
  coordinator = 'the first';
  readonly offsetManager = { memberId: 'member', generationId: 1, coordinator: 'the first' };

  constructor(readonly cluster: Cluster) {}

  async fetch(broker: number): Promise<Batches> {
    // The driver reads them only after it has refreshed its metadata.
    await setImmediate();
    const { minBytes, maxWaitTime: waitMs } = this;
    try {
      return await new Promise((answer, fail) =>
        this.fetches.push({ broker, minBytes, waitMs, answer, fail }),
      );
    } catch (error) {
      await this.recoverFromFetch(error);
      return [];
    }
  }

  heartbeat({ interval }: { readonly interval: number }): Promise<void> {
    if (interval < HEARTBEAT_MS) this.heartbeats += 1;
    return this.change === undefined ? Promise.resolve() : Promise.reject(this.change);
  }

  recoverFromFetch(error: unknown): Promise<void> {
    this.recovered.push(error);
    return Promise.resolve();
  }
}

const EndableMember = fetchesThatEnd(Member);
const inflight = new Map<number, unknown>();
let member: Member;
let open: OpenFetches;
let closed: number;
let nothings: string[];

beforeEach(() => {
  closed = 0;
  nothings = [];
  inflight.clear();
  const connection = {
    socket: { destroy: () => closed++ },
    requestQueue: { inflight },
    rejectRequests: (error: Error) => member.fetches.at(-1)?.fail(error),
    disconnect: () => Promise.resolve(true),
  };
  const other = { ...connection, rejectRequests: () => expect('the other requests').toBe('untouched') };
  const pool = { brokerPool: { brokers: { 1: { connectionPool: { pool: [other, connection] } } } } };
  const cluster = pool as unknown as Cluster;
  member = new EndableMember(cluster);
  const waiting = { whenIdle: WHEN_IDLE, whenBusy: WHEN_BUSY, whenQuiet: WHEN_QUIET };
  open = new OpenFetches(cluster, {
    ...waiting,
    heartbeatMs: () => HEARTBEAT_MS,
    onNothing: (topic, partition) => nothings.push(`${topic}/${partition}`),
  });
});

afterEach(() => {
  jest.useRealTimers();
});

async function begin(nodeId = 1): Promise<Promise<Batches>[]> {
  const fetched = member.fetch(nodeId);
  // One turn is the driver's, one lets the handling of what came before begin.
  await setImmediate();
  await setImmediate();
  inflight.set(1, {});
  return [fetched];
}

describe('open fetches', () => {
  it('an open fetch that is ended has no messages, closes its connection, and is not recovered from', async () => {
    const [fetched] = await begin();
    open.end();
    expect(await fetched).toEqual([]);
    await setImmediate();
    expect([closed, member.recovered]).toEqual([1, []]);
  });

  it.each([
    ['each partition, where it has nothing at all', [], ['topic/0', 'topic/1', 'topic/2']],
    ['those before records, which may have left no room for more', ['a'], ['topic/0']],
  ])('the answer of an open fetch tells that there is nothing of %s', async (_of, messages, empty) => {
    const [fetched] = await begin();
    const none = { ...PARTITION, messages: [], rawMessages: [] };
    member.fetches[0]?.answer([
      none,
      { ...PARTITION, partition: 1, messages, rawMessages: messages },
      { ...none, partition: 2 },
    ]);
    await fetched;
    expect(nothings).toEqual(empty);
  });

  it('the answer of an open fetch that has but the end of a transaction has something', async () => {
    const [fetched] = await begin();
    member.fetches[0]?.answer([{ ...PARTITION, messages: [], rawMessages: ['the end of a transaction'] }]);
    await fetched;
    expect(nothings).toEqual([]);
  });

  it('a fetch that was not sent yet is ended without a connection', async () => {
    const fetched = member.fetch(1);
    open.end();
    expect([await fetched, closed]).toEqual([[], 0]);
  });

  it('a fetch that fails by itself is recovered from as before', async () => {
    const [fetched] = await begin();
    const failure = new Error('not the leader');
    member.fetches[0]?.fail(failure);
    expect([await fetched, member.recovered]).toEqual([[], [failure]]);
  });

  it('a fetch behind one that found messages is sent when their handling has begun, or never when it is ended', async () => {
    const told: string[] = [];
    const sent = member.fetches.push.bind(member.fetches);
    member.fetches.push = (fetch) => {
      told.push('fetch');
      return sent(fetch);
    };
    const [first] = await begin();
    member.fetches[0]?.answer([{ ...PARTITION, messages: ['a'], rawMessages: ['a'] }]);
    await first;
    const handled = setImmediate().then(() => told.push('handling'));
    const [second] = await begin();
    await handled;
    expect(told).toEqual(['fetch', 'handling', 'fetch']);
    member.fetches[1]?.answer([{ ...PARTITION, messages: ['b'], rawMessages: ['b'] }]);
    await second;
    const third = member.fetch(1);
    open.end();
    expect(await third).toEqual([]);
    await setImmediate();
    await setImmediate();
    expect(told).toHaveLength(3);
  });

  it('a fetch gathers only behind one that found messages', async () => {
    const marker = { ...PARTITION, messages: [], rawMessages: ['marker'] };
    const answers: Batches[] = [[], [{ ...PARTITION, messages: ['a'], rawMessages: ['a'] }], [marker], []];
    for (const [index, batches] of answers.entries()) {
      const [fetched] = await begin();
      member.fetches[index]?.answer(batches);
      expect(await fetched).toEqual(batches);
    }
    const asked = member.fetches.map(({ minBytes, waitMs }) => ({ minBytes, waitMs }));
    expect(asked).toEqual([WHEN_IDLE, WHEN_IDLE, WHEN_BUSY, WHEN_IDLE]);
  });

  it('a fetch waits longer behind three without messages, until one finds some', async () => {
    const found = [{ ...PARTITION, messages: ['a'], rawMessages: ['a'] }];
    const answers: Batches[] = [[], [], [], [], found, [], []];
    for (const [index, batches] of answers.entries()) {
      const [fetched] = await begin();
      member.fetches[index]?.answer(batches);
      await fetched;
    }
    const waits = [WHEN_IDLE, WHEN_IDLE, WHEN_IDLE, WHEN_QUIET, WHEN_QUIET, WHEN_BUSY, WHEN_IDLE];
    expect(member.fetches.map(({ waitMs }) => waitMs)).toEqual(waits.map(({ waitMs }) => waitMs));
  });

  it('a fetch of a broker waits no longer for what others have answered without messages', async () => {
    const brokers = [1, 2, 3, 4, 1, 2, 3, 4];
    for (const [index, broker] of brokers.entries()) {
      const [fetched] = await begin(broker);
      member.fetches[index]?.answer([]);
      await fetched;
    }
    const { waitMs } = WHEN_IDLE;
    expect(member.fetches).toMatchObject(brokers.map((broker) => ({ broker, waitMs })));
  });

  it('partitions without a record are left out, and those with markers of transactions are not', async () => {
    const [fetched] = await begin();
    const marker = { ...PARTITION, messages: [], rawMessages: ['marker'] };
    member.fetches[0]?.answer([{ ...PARTITION, messages: [], rawMessages: [] }, marker]);
    expect(await fetched).toEqual([marker]);
  });

  it('a member shows that it lives while its fetch waits, and no longer', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const [fetched] = await begin();
    jest.advanceTimersByTime(2 * HEARTBEAT_MS);
    expect(member.heartbeats).toBe(2);
    member.fetches[0]?.answer([]);
    await fetched;
    jest.advanceTimersByTime(2 * HEARTBEAT_MS);
    expect(member.heartbeats).toBe(2);
  });

  it('a member whose clock was set back shows that it lives, as it did', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const [fetched] = await begin();
    jest.setSystemTime(Date.now() - 600_000);
    jest.advanceTimersByTime(HEARTBEAT_MS);
    expect([member.lastRequest, member.heartbeats]).toEqual([0, 1]);
    member.lastRequest = Date.now() + 600_000;
    await member.heartbeat({ interval: HEARTBEAT_MS });
    expect(member.lastRequest).toBe(0);
    member.fetches[0]?.answer([]);
    await fetched;
  });

  it('a fetch ends when a heartbeat tells that the group changes', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const [fetched] = await begin();
    member.change = new Error('the group is rebalancing');
    jest.advanceTimersByTime(HEARTBEAT_MS);
    expect(await fetched).toEqual([]);
    expect([closed, member.recovered]).toEqual([1, []]);
    // The driver's own heartbeat, which makes it join again, is due.
    expect(member.lastRequest).toBe(0);
  });
});

/** A member that its coordinator has forgotten, and refuses once more before it takes it again. */
class ForgottenMember {
  readonly cluster = {} as Cluster;
  minBytes = 0;
  maxWaitTime = 0;
  lastRequest = 0;
  memberId: string | null = null;
  generationId: number | null = null;
  coordinator = 'the first';
  offsetManager = { memberId: '', generationId: 0, coordinator: this.coordinator };
  joins = 0;

  connect = (): Promise<void> => Promise.resolve();
  leave = (): Promise<void> => Promise.resolve();
  getNodeIds = (): number[] => [1];

  async fetch(): Promise<Batches> {
    await setImmediate();
    return [];
  }

  /** As the driver's, which sends none for a member of no group. */
  heartbeat(): Promise<void> {
    const isForgotten = this.memberId !== null && this.generationId === 1;
    return isForgotten ? Promise.reject(typed('UNKNOWN_MEMBER_ID')) : Promise.resolve();
  }

  recoverFromFetch = (error: Error): Promise<void> => Promise.reject(error);

  joinAndSync(): Promise<void> {
    this.joins += 1;
    // The driver repeats what may pass, with all that it does between two joins.
    if (this.joins === 2) return Promise.reject(typed('NOT_COORDINATOR_FOR_GROUP'));
    this.memberId = `member ${this.joins}`;
    this.generationId = this.joins;
    const { memberId, generationId, coordinator } = this;
    this.offsetManager = { memberId, generationId, coordinator };
    return Promise.resolve();
  }
}

const typed = (type: string): Error => Object.assign(new Error(type), { type, retriable: true });

interface Runner {
  start(): Promise<void>;
  stop(): Promise<void>;
}
const DriverRunner = createRequire(import.meta.url)('kafkajs/src/consumer/runner.js') as new (
  options: object,
) => Runner;

it('a member that has lost its group joins it again, also when its first attempt is refused for a while', async () => {
  const ReturningMember = fetchesThatEnd(ForgottenMember);
  const consumerGroup = new ReturningMember();
  const logger = { namespace: () => logger, debug: nothing, info: nothing, warn: nothing, error: nothing };
  const runner = new DriverRunner({
    logger,
    consumerGroup,
    instrumentationEmitter: { emit: nothing },
    onCrash: nothing,
    retry: { initialRetryTime: 1 },
  });
  await runner.start();
  await eventually(() => consumerGroup.joins === 3);
  await runner.stop();
});

function nothing(): void {
  // Neither logs nor events are looked at.
}
