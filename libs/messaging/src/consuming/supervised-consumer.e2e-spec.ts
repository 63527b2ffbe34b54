import { expect, it, jest } from '@jest/globals';
import { uniqueName } from '@truetally/testing';
import { type Consumer } from 'kafkajs';
import { kafkajs } from '../driver-speed/kafkajs.js';
import { CONSUMER_SILENCE_MS } from '../limits.js';
import { openBus } from '../testing/bus.js';
import { SupervisedConsumer } from './supervised-consumer.js';
import { TopicReader } from './topic-reader.js';

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
