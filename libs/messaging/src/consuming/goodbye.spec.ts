import { expect, it } from '@jest/globals';
import { type Cluster, type Logger } from 'kafkajs';
import { Goodbye } from './goodbye.js';

const CLUSTER = { findTopicPartitionMetadata: () => [{ partitionId: 0 }] } as unknown as Cluster;
const MEMBERSHIP = { groupId: 'group', memberId: 'a' };

it('a member is the only one when it has assigned every partition to itself, until another one joins or leads', async () => {
  const goodbye = new Goodbye();
  const assigner = goodbye.assigner({ cluster: CLUSTER, groupId: 'group', logger: {} as Logger });
  const join = async (memberIds: readonly string[], isLeader: boolean): Promise<boolean> => {
    const members = memberIds.map((memberId) => ({ memberId, memberMetadata: Buffer.alloc(0) }));
    if (isLeader) await assigner.assign({ members, topics: ['topic'] });
    goodbye.remember({ ...MEMBERSHIP, isLeader });
    return goodbye.isOnlyMember;
  };
  expect(goodbye.isOnlyMember).toBe(false);
  expect(await join(['a'], true)).toBe(true);
  expect(await join(['a'], false)).toBe(false);
  expect(await join(['a', 'b'], true)).toBe(false);
  expect(await join(['a'], true)).toBe(true);
});
