import { createRequire } from 'node:module';
import { expect, it } from '@jest/globals';
import { AssignerProtocol } from 'kafkajs';
import { type ConsumerGroupClass, fetchesThatEnd } from './open-fetches.js';

const TOPIC = 'topic';
const ASSIGNED = AssignerProtocol.MemberAssignment.encode({
  version: 0,
  assignment: { [TOPIC]: [0] },
  userData: Buffer.alloc(0),
});

/** A broker that may coordinate the group. */
class Coordinator {
  isLoading = false;
  readonly commits: unknown[] = [];

  isConnected = (): boolean => true;
  joinGroup = (): Promise<object> => {
    if (this.isLoading) return Promise.reject(typed('GROUP_LOAD_IN_PROGRESS'));
    return Promise.resolve({
      generationId: 1,
      memberId: 'member',
      leaderId: 'another',
      groupProtocol: 'own',
    });
  };
  syncGroup = (): Promise<object> => Promise.resolve({ memberAssignment: ASSIGNED });
  offsetFetch = (): Promise<object> =>
    Promise.resolve({ responses: [{ topic: TOPIC, partitions: [{ partition: 0, offset: '7' }] }] });
  fetch = (): Promise<object> => Promise.resolve({ responses: [] });
  offsetCommit = (commit: object): Promise<void> => {
    this.commits.push(commit);
    return Promise.resolve();
  };
}

interface DriverMember {
  joinAndSync(): Promise<void>;
  fetch(nodeId: number): Promise<readonly unknown[]>;
  commitOffsets(offsets: object): Promise<void>;
}

const Member = fetchesThatEnd(
  createRequire(import.meta.url)('kafkajs/src/consumer/consumerGroup.js') as ConsumerGroupClass,
) as unknown as new (options: object) => DriverMember;

it('a member commits to the coordinator that it has found last, also where that one refused its join while it loaded', async () => {
  const [former, next] = [new Coordinator(), new Coordinator()];
  let coordinator = former;
  const member = memberOf(() => coordinator);
  await member.joinAndSync();
  coordinator = next;
  next.isLoading = true;
  await expect(member.joinAndSync()).rejects.toThrow('GROUP_LOAD_IN_PROGRESS');
  // The driver goes on reading as the member that it was.
  await member.fetch(1);
  await member.commitOffsets({ topics: [{ topic: TOPIC, partitions: [{ partition: 0, offset: '8' }] }] });
  expect([former.commits.length, next.commits.length]).toEqual([0, 1]);
});

function memberOf(findCoordinator: () => Coordinator): DriverMember {
  const committed = { [TOPIC]: {} };
  const logger = { namespace: () => logger, debug: nothing, info: nothing, warn: nothing, error: nothing };
  return new Member({
    groupId: 'group',
    topics: [TOPIC],
    topicConfigurations: { [TOPIC]: {} },
    logger,
    instrumentationEmitter: { emit: nothing },
    assigners: [],
    retry: { retries: 0 },
    cluster: {
      findGroupCoordinator: () => Promise.resolve(findCoordinator()),
      findBroker: () => Promise.resolve(findCoordinator()),
      findTopicPartitionMetadata: () => [{ partitionId: 0, leader: 1 }],
      committedOffsets: () => committed,
      refreshMetadataIfNecessary: () => Promise.resolve(),
    },
  });
}

const typed = (type: string): Error => Object.assign(new Error(type), { type, retriable: true });

function nothing(): void {
  // Neither logs nor events are looked at.
}
