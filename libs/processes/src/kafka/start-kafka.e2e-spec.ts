import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';
import { eventually } from '../eventually.js';
import { type LocalKafka, startKafka } from './start-kafka.js';

describe('startKafka', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'truetally-kafka-'));
  let kafka: LocalKafka;
  let client: kafkajs.Kafka;

  beforeAll(async () => {
    kafka = await startKafka({ dataDir });
    client = new kafkajs.Kafka({ brokers: [kafka.brokers], logLevel: kafkajs.logLevel.NOTHING });
  });

  afterAll(async () => {
    await kafka.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('a Kafka that is killed serves again on the same log, with every acknowledged message', async () => {
    await createTopic('kept');
    await produce('kept', 'before');
    const { pid } = kafka;
    await kafka.kill('SIGKILL');
    expect(kafka.isRunning).toBe(false);
    await kafka.restart();
    expect(kafka.pid).not.toBe(pid);
    await produce('kept', 'after');
    await expect(consume('kept', 2)).resolves.toEqual(['before', 'after']);
  });

  it('creates no topic by itself', async () => {
    await expect(produce('never-created', 'x')).rejects.toThrow('does not host this topic-partition');
  });

  async function createTopic(topic: string): Promise<void> {
    const admin = client.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
    await admin.disconnect();
  }

  async function produce(topic: string, value: string): Promise<void> {
    const producer = client.producer({ retry: { retries: topic === 'kept' ? 5 : 0 } });
    await producer.connect();
    try {
      await producer.send({ topic, acks: -1, messages: [{ value }] });
    } finally {
      await producer.disconnect();
    }
  }

  async function consume(topic: string, count: number): Promise<string[]> {
    const values: string[] = [];
    const consumer = client.consumer({ groupId: 'reader' });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      eachMessage: ({ message }) => {
        values.push(String(message.value));
        return Promise.resolve();
      },
    });
    await eventually(() => values.length >= count);
    await consumer.disconnect();
    return values;
  }
});
