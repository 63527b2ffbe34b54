import { afterEach, expect, it, jest } from '@jest/globals';
import { uniqueName } from '@truetally/testing';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Consumer, type Kafka } from 'kafkajs';
import { kafkajs } from '../driver-speed/kafkajs.js';
import { CONSUMER_SILENCE_MS } from '../limits.js';
import { openBus } from '../testing/bus.js';
import { SupervisedConsumer } from './supervised-consumer.js';
import { TopicReader } from './topic-reader.js';

afterEach(() => {
  jest.restoreAllMocks();
});

it('a consumer whose driver has crashed, and is being disconnected, can be paused', async () => {
  const { messaging } = await openBus();
  const topic = uniqueName('crashed');
  await messaging.ensureTopics([{ name: topic, partitions: 1 }]);
  const paused = Promise.withResolvers<undefined>();
  const whenItStops = (driver: Consumer): void =>
    void driver.on(driver.events.STOP, () => {
      paused.resolve((async () => consumer.pause())() as Promise<undefined>);
    });
  const consumer = new SupervisedConsumer(messaging, 'crashed', {
    groupId: () => messaging.prefixed(uniqueName('group')),
    topics: [messaging.prefixed(topic)],
    onAssigned: (_assignment, driver) => {
      whenItStops(driver);
    },
    onBatch: () => Promise.reject(new kafkajs.KafkaJSNonRetriableError('cannot be read')),
  });
  await consumer.start();
  await messaging.publish([{ topic, key: 'key', value: 'value' }]);
  await expect(paused.promise).resolves.toBeUndefined();
  await consumer.stop();
  await messaging.close();
});

it('a consumer whose process was stopped prepares anew before it joins again', async () => {
  const { messaging } = await openBus();
  const topic = uniqueName('stopped');
  await messaging.ensureTopics([{ name: topic, partitions: 1 }]);
  const now = performance.now.bind(performance);
  const isPreparedAgain = Promise.withResolvers<undefined>();
  let preparations = 0;
  const consumer = new SupervisedConsumer(messaging, 'stopped', {
    groupId: () => messaging.prefixed(uniqueName('group')),
    topics: [messaging.prefixed(topic)],
    prepare: () => {
      if (++preparations > 1) isPreparedAgain.resolve(undefined);
      return Promise.resolve();
    },
    // As behind SIGCONT: the driver tells what has arrived before any timer ends.
    onBatch: () => {
      jest.spyOn(performance, 'now').mockImplementation(() => now() + CONSUMER_SILENCE_MS + 1_000);
      return Promise.resolve();
    },
  });
  await consumer.start();
  await messaging.publish([{ topic, key: 'key', value: 'value' }]);
  await expect(isPreparedAgain.promise).resolves.toBeUndefined();
  await consumer.stop();
  await messaging.close();
});

it('a consumer that takes long to prepare is not replaced for its silence', async () => {
  const { messaging } = await openBus();
  const topic = uniqueName('slow');
  await messaging.ensureTopics([{ name: topic, partitions: 1 }]);
  const clock = skippingClock();
  const hasRead = Promise.withResolvers<undefined>();
  let preparations = 0;
  const consumer = new SupervisedConsumer(messaging, 'slow', {
    groupId: () => messaging.prefixed(uniqueName('group')),
    topics: [messaging.prefixed(topic)],
    prepare: () => {
      preparations += 1;
      clock.skip(CONSUMER_SILENCE_MS + 1_000);
      return Promise.resolve();
    },
    onBatch: () => Promise.resolve(hasRead.resolve(undefined)),
  });
  await messaging.publish([{ topic, key: 'key', value: 'value' }]);
  await consumer.start();
  await hasRead.promise;
  expect(preparations).toBe(1);
  await consumer.stop();
  await messaging.close();
});

it('a consumer that was replaced while it prepared does not connect when it has', async () => {
  const { messaging } = await openBus();
  const topic = uniqueName('late');
  await messaging.ensureTopics([{ name: topic, partitions: 1 }]);
  const clock = skippingClock();
  // Silence is looked for in a moment, and not in seconds.
  const lookMs = CONSUMER_SILENCE_MS / 10;
  clock.skip(lookMs - (performance.now() % lookMs) - 50);
  const connected: string[] = [];
  const create = kafkajs.Kafka.prototype.consumer;
  jest.spyOn(kafkajs.Kafka.prototype, 'consumer').mockImplementation(function (this: Kafka, config) {
    const driver = create.call(this, config);
    const { connect } = driver;
    driver.connect = () => {
      connected.push(config.groupId);
      return connect();
    };
    return driver;
  });
  const late = Promise.withResolvers<undefined>();
  const group = messaging.prefixed(uniqueName('group'));
  let preparations = 0;
  const consumer = new SupervisedConsumer(messaging, 'late', {
    groupId: (incarnation) => `${group}.${incarnation}`,
    topics: [messaging.prefixed(topic)],
    prepare: async (signal) => {
      if (++preparations > 1) return;
      signal.addEventListener('abort', () => {
        late.resolve(undefined);
      });
      clock.skip(CONSUMER_SILENCE_MS + 1_000);
      await late.promise;
    },
    onBatch: () => Promise.resolve(),
  });
  await consumer.start();
  late.resolve(undefined);
  await nextTurn();
  expect(connected).toEqual([`${group}.1`]);
  await consumer.stop();
  await messaging.close();
});

it('a reader whose consumer has stopped, and is being replaced, can be told to start over', async () => {
  const { messaging } = await openBus();
  const topic = uniqueName('replaced');
  await messaging.ensureTopics([{ name: topic, partitions: 1 }]);
  await messaging.publish([{ topic, key: 'key', value: 'value' }]);
  const hasRead = Promise.withResolvers<undefined>();
  const onMessages = (): void => {
    hasRead.resolve(undefined);
  };
  const reader = new TopicReader(messaging, { group: uniqueName('reader'), feeds: [{ topic, onMessages }] });
  await reader.start();
  await hasRead.promise;
  await reader.stop();
  expect(() => {
    reader.startOver(topic);
  }).not.toThrow();
  await messaging.close();
});

/** The monotonic clock, of which a test may skip a part. */
function skippingClock(): { readonly skip: (ms: number) => void } {
  const now = performance.now.bind(performance);
  let aheadMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
  return { skip: (ms) => void (aheadMs += ms) };
}
