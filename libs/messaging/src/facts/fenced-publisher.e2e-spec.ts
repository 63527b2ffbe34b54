import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually, type FaultyLink, openKafkaLink, testStack, uniqueName } from '@truetally/testing';
import { FencedPublisher, type Messaging, UndeliverableError } from '../index.js';
import { FENCED_PUBLISH_MS } from '../limits.js';
import { Closing, openBus, type TestBus } from '../testing/bus.js';
import { readCommitted } from '../testing/raw.js';

let closing: Closing;
let bus: TestBus;
let topic: string;
let name: string;

beforeEach(async () => {
  closing = new Closing();
  bus = closing.add(await openBus(), ({ messaging }) => messaging.close());
  [topic, name] = [uniqueName('facts'), uniqueName('outbox')];
  await bus.messaging.ensureTopics([{ name: topic, partitions: 2, config: { 'max.message.bytes': '2000' } }]);
});

afterEach(() => closing.closeAll());

const held = () => Promise.resolve();
const lost = () => Promise.reject(new Error('The lock is lost.'));

/** Brokers refuse records from more than an hour ahead (`log.message.timestamp.after.max.ms`). */
const TOO_FAR_AHEAD_MS = 2 * 3_600_000;

/** So long a busy machine takes for nothing. */
const PATIENT_MS = 120_000;

function publisherOn(messaging: Messaging, publishMs = PATIENT_MS): FencedPublisher {
  return closing.add(new FencedPublisher(messaging, name, publishMs), (each) => each.close());
}

async function publisherBehind(link: FaultyLink, publishMs?: number): Promise<FencedPublisher> {
  const { messaging } = closing.add(await openBus({ brokers: [link.address] }), (each) =>
    each.messaging.close(),
  );
  return publisherOn(messaging, publishMs);
}

const openLink = async () =>
  closing.add(await openKafkaLink(testStack().kafkaBrokers), (each) => each.close());

const fact = (value: string, key = 'k') => ({ topic, key, value, headers: { n: value } });

/** What readers of committed records see under the key `k`, in order. */
async function valuesIn(): Promise<readonly (string | undefined)[]> {
  const messages = await readCommitted(bus.messaging, topic);
  return messages.filter(({ key }) => key === 'k').map(({ value }) => value);
}

describe('a fenced publisher', () => {
  it('publishes in order per key, and asks for the lock once after it took the name', async () => {
    const publisher = publisherOn(bus.messaging);
    let confirmed = 0;
    const confirm = (): Promise<void> => {
      confirmed++;
      return Promise.resolve();
    };
    await publisher.publish([fact('1'), fact('2'), { ...fact('a'), key: 'other' }], confirm);
    await publisher.publish([fact('3')], confirm);
    await publisher.publish([{ topic, key: 'k', value: null }], confirm);
    expect(await valuesIn()).toEqual(['1', '2', '3', undefined]);
    expect(confirmed).toBe(1);
  });

  it('takes turns with others of its name, each under the lock', async () => {
    const publishers = [publisherOn(bus.messaging), publisherOn(bus.messaging)];
    const expected = Array.from({ length: 8 }, (_, n) => String(n));
    for (const [n, value] of expected.entries()) await publishers[n % 2]?.publish([fact(value)], held);
    expect(await valuesIn()).toEqual(expected);
  });

  it('publishes nothing more once another has begun, however late its requests arrive', async () => {
    const link = await openLink();
    const stale = await publisherBehind(link);
    await stale.publish([fact('live')], held);
    link.stall();
    const late = stale.publish([fact('stale')], lost);
    const failed = expect(late).rejects.toThrow('The lock is lost.');
    await publisherOn(bus.messaging).publish([fact('revoked')], held);
    link.resume();
    await failed;
    expect(await valuesIn()).toEqual(['live', 'revoked']);
  });

  it('a fenced publisher that gets the producer id late publishes nothing and blocks no other', async () => {
    const link = await openLink();
    const stale = await publisherBehind(link);
    await stale.ready();
    link.stall();
    const late = stale.publish([fact('stale')], lost);
    const failed = expect(late).rejects.toThrow('The lock is lost.');
    const holder = publisherOn(bus.messaging);
    await holder.publish([fact('1')], held);
    link.resume();
    await failed;
    await holder.publish([fact('2')], held);
    expect(await valuesIn()).toEqual(['1', '2']);
  });

  it('a fact is not at fault where the clock of its publisher is: it is published once the clock is right', async () => {
    const publisher = publisherOn(bus.messaging);
    const now = Date.now;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + TOO_FAR_AHEAD_MS);
    const refused = publisher.publish([fact('1')], held).catch((error: unknown) => error);
    expect(await refused).not.toBeInstanceOf(UndeliverableError);
    expect(await refused).toMatchObject({ type: 'INVALID_TIMESTAMP' });
    clock.mockRestore();
    await publisher.publish([fact('1')], held);
    expect(await valuesIn()).toEqual(['1']);
  });

  it('gives up after a few seconds, and publishes again when Kafka is back', async () => {
    const link = await openLink();
    const publisher = await publisherBehind(link, FENCED_PUBLISH_MS);
    await eventually(() => publisher.publish([fact('1')], held).then(() => true));
    link.stall();
    await expect(publisher.publish([fact('2')], held)).rejects.toThrow('longer than');
    link.cut();
    await expect(publisher.ready()).rejects.toThrow();
    link.mend();
    link.resume();
    await eventually(async () => {
      await publisher.ready();
      await publisher.publish([fact('2')], held);
      return true;
    });
    const values = await valuesIn();
    expect([values[0], values.at(-1)]).toEqual(['1', '2']);
  });

  it('reports facts that the broker never accepts: too large, or without a topic; no other of the batch is published', async () => {
    const publisher = publisherOn(bus.messaging);
    const large = fact('x'.repeat(4_000));
    await expect(publisher.publish([fact('1'), large], held)).rejects.toBeInstanceOf(UndeliverableError);
    const nowhere = { ...fact('2'), topic: uniqueName('nowhere') };
    for (const facts of [[nowhere], [fact('3'), nowhere]])
      await expect(publisher.publish(facts, held)).rejects.toBeInstanceOf(UndeliverableError);
    await publisher.publish([fact('4')], held);
    expect(await valuesIn()).toEqual(['4']);
  });
});
