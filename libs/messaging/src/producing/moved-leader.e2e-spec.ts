import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, startKafkaCluster, uniqueName } from '@truetally/testing';
import { FencedPublisher } from '../index.js';
import { Closing, openBus, type TestBus } from '../testing/bus.js';
import { readCommitted } from '../testing/raw.js';

const closing = new Closing();
let brokers: readonly string[];
let bus: TestBus;
let topic: string;

beforeAll(async () => {
  const folder = closing.add(await mkdtemp(join(tmpdir(), 'brokers-')), (path) =>
    rm(path, { recursive: true }),
  );
  // In parallel: a broker waits for its peer.
  const { nodes } = closing.add(await startKafkaCluster(folder, 2), (cluster) =>
    Promise.all(cluster.nodes.map((node) => node.kill())),
  );
  brokers = nodes.map((node) => node.brokers);
  bus = closing.add(await openBus({ brokers }), ({ messaging }) => messaging.close());
});

afterAll(() => closing.closeAll());

beforeEach(async () => {
  topic = uniqueName('moving');
  await bus.messaging.administer(async (admin) => {
    const replicaAssignment = [1, 2].map((broker, partition) => ({ partition, replicas: [broker] }));
    await admin.createTopics({ topics: [{ topic: bus.messaging.prefixed(topic), replicaAssignment }] });
  });
});

/**
 * The first broker becomes the leader of the second partition; producers with cached metadata are not
 * notified.
 */
async function moveLeader(): Promise<void> {
  const name = bus.messaging.prefixed(topic);
  await bus.messaging.administer(async (admin) => {
    await admin.alterPartitionReassignments({
      topics: [{ topic: name, partitionAssignment: [{ partition: 1, replicas: [1] }] }],
    });
    await eventually(async () => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [name] });
      return topics[0]?.partitions.every(({ leader }) => leader === 1);
    });
  });
}

const KEYS = Array.from({ length: 20 }, (_, index) => `key ${index}`);
const facts = (value: string) => KEYS.map((key) => ({ topic, key, value }));

async function keysWith(wanted: string): Promise<readonly (string | undefined)[]> {
  const messages = await readCommitted(bus.messaging, topic);
  return messages.flatMap(({ key, value }) => (value === wanted ? [key] : []));
}

describe('messages for several brokers, one of whose partitions moves to a broker that has answered', () => {
  it('messages for a partition that moves are all written when they count as published', async () => {
    await bus.messaging.publish(facts('before'));
    await moveLeader();
    await bus.messaging.publish(facts('after'));
    expect(new Set(await keysWith('after'))).toEqual(new Set(KEYS));
  });

  it('messages of a fenced publisher for a partition that moves are all written, too', async () => {
    const publisher = closing.add(new FencedPublisher(bus.messaging, uniqueName('outbox')), (each) =>
      each.close(),
    );
    const held = (): Promise<void> => Promise.resolve();
    await publisher.publish(facts('before'), held);
    await moveLeader();
    await eventually(() => publisher.publish(facts('after'), held).then(() => true));
    expect(new Set(await keysWith('after'))).toEqual(new Set(KEYS));
  });
});
