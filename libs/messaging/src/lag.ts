import { type Admin } from 'kafkajs';
import { kafkajs } from './driver-speed/kafkajs.js';

/** The lag of a consumer group on one partition. */
export interface GroupLag {
  /** Group and topic without prefix. */
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  /** Messages written and not yet committed. */
  readonly lag: number;
  /** The offset that the next message of the partition gets. */
  readonly end: number;
  /** Messages that the log has removed before they were committed as read. */
  readonly expired: number;
}

/** Committed offset by partition; undefined where nothing was committed yet. */
type Positions = Map<number, number | undefined>;

/**
 * Of every group under the prefix that Kafka knows, so that no service can be missed: all partitions of the topics of which it
 * has committed something, or its members have some. Readers without offsets (tables, replies) are left out: they start wherever
 * they want.
 * @param group only this one, without prefix
 * @param topics that it reads, without prefix: Kafka may not know it yet of all
 */
export async function lagOfGroups(
  admin: Admin,
  prefix: string,
  group?: string,
  topics: readonly string[] = [],
): Promise<readonly GroupLag[]> {
  const own = group === undefined ? await groupsUnder(admin, prefix) : [`${prefix}${group}`];
  const named = topics.map((topic) => `${prefix}${topic}`);
  const positions = await positionsOf(admin, own, named);
  const ends = await endsOf(admin, positions);
  const unprefixed = (name: string): string => (name.startsWith(prefix) ? name.slice(prefix.length) : name);
  const lags: GroupLag[] = [];
  for (const [name, ofGroup] of positions) {
    for (const [topic, partitions] of ofGroup) {
      const written = ends.get(topic) ?? new Map<number, Ends>();
      // While its group changes a partition is nobody's, and of one that was read for the first time nothing may be committed.
      for (const partition of new Set([...partitions.keys(), ...written.keys()])) {
        const next = partitions.get(partition);
        const { low, high } = written.get(partition) ?? { low: 0, high: 0 };
        const lag = Math.max(0, high - Math.max(low, next ?? low));
        const expired = next === undefined ? 0 : Math.max(0, low - next);
        lags.push({ group: unprefixed(name), topic: unprefixed(topic), partition, lag, end: high, expired });
      }
    }
  }
  return lags;
}

async function groupsUnder(admin: Admin, prefix: string): Promise<readonly string[]> {
  const { groups } = await admin.listGroups();
  return groups
    .filter(({ groupId, protocolType }) => groupId.startsWith(prefix) && protocolType !== 'connect')
    .map(({ groupId }) => groupId)
    .filter((groupId) => !isReader(groupId.slice(prefix.length)))
    .toSorted();
}

/** Groups of readers that keep their position in memory (`TopicReader`). */
export const READER_GROUPS = ['replies.', 'table.', 'tail.', 'record.'] as const;

function isReader(group: string): boolean {
  return READER_GROUPS.some((beginning) => group.startsWith(beginning));
}

async function positionsOf(
  admin: Admin,
  groups: readonly string[],
  named: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, Positions>>> {
  const positions = new Map<string, Map<string, Positions>>();
  if (groups.length === 0) return positions;
  const place = (group: string, topic: string): Positions => {
    const topics = positions.get(group) ?? new Map<string, Positions>();
    positions.set(group, topics);
    const partitions = topics.get(topic) ?? new Map<number, number | undefined>();
    topics.set(topic, partitions);
    return partitions;
  };
  for (const group of groups) for (const topic of named) place(group, topic);
  const described = await admin.describeGroups([...groups]);
  for (const { groupId, members } of described.groups) {
    for (const { memberAssignment } of members) {
      for (const [topic, partitions] of Object.entries(assignmentOf(memberAssignment))) {
        for (const partition of partitions) place(groupId, topic).set(partition, undefined);
      }
    }
  }
  for (const group of groups) {
    for (const { topic, partitions } of await admin.fetchOffsets({ groupId: group })) {
      for (const { partition, offset } of partitions) {
        if (Number(offset) >= 0) place(group, topic).set(partition, Number(offset));
      }
    }
  }
  return positions;
}

function assignmentOf(bytes: Buffer): Readonly<Record<string, readonly number[]>> {
  if (bytes.length === 0) return {};
  return kafkajs.AssignerProtocol.MemberAssignment.decode(bytes)?.assignment ?? {};
}

interface Ends {
  readonly low: number;
  readonly high: number;
}

async function endsOf(
  admin: Admin,
  positions: ReadonlyMap<string, ReadonlyMap<string, Positions>>,
): Promise<ReadonlyMap<string, ReadonlyMap<number, Ends>>> {
  const existing = new Set(await admin.listTopics());
  const ends = new Map<string, ReadonlyMap<number, Ends>>();
  for (const topics of positions.values()) {
    for (const topic of topics.keys()) {
      if (ends.has(topic) || !existing.has(topic)) continue;
      const offsets = await admin.fetchTopicOffsets(topic);
      ends.set(
        topic,
        new Map(
          offsets.map(({ partition, low, high }) => [partition, { low: Number(low), high: Number(high) }]),
        ),
      );
    }
  }
  return ends;
}
