import { type Admin } from 'kafkajs';
import { Goodbye } from './consuming/goodbye.js';
import { CLOCK_SKEW_MS } from './consuming/offset-since.js';
import { createDriver } from './driver.js';
import { protocolErrorType } from './errors.js';
import { READER_GROUPS } from './lag.js';
import { type Messaging } from './messaging.js';

/** The end of a group's name that nobody has. */
const SIGHT = 'seen-by-an-operator';
/** Who commits for a group that has no members. */
const NO_MEMBER = { groupGenerationId: -1, memberId: '' } as const;

/** How far consumer groups go back. */
export interface Rewinding {
  /** The groups whose names begin with one of these and a dot. */
  readonly owners: readonly string[];
  /** The topics that are read again, without prefix. */
  readonly topics: readonly string[];
  /** Epoch milliseconds: everything written since is read again. */
  readonly sinceMs: number;
}

/** A partition that a group reads again. */
export interface RewoundPartition {
  /** Group and topic without prefix. */
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  /** The offset at which the group would have gone on. */
  readonly from: number;
  /** The offset at which it goes on now; not higher than `from`. */
  readonly to: number;
  /** Kafka has removed records before `to`, among which may be some of that time. */
  readonly isCutOff: boolean;
}

/**
 * Kafka leaves out of its lists what a user may not describe: groups that are not seen would not be set back, and their members
 * not be noticed.
 * @throws Error that names what this user does not see
 */
export async function requireSight(
  messaging: Messaging,
  { owners, topics }: Pick<Rewinding, 'owners' | 'topics'>,
): Promise<void> {
  await messaging.administer(async (admin) => {
    const listed = new Set(await admin.listTopics());
    const unseen = topics.filter((topic) => !listed.has(messaging.prefixed(topic)));
    if (unseen.length > 0)
      throw new Error(`Kafka has no topic ${unseen.join(', ')}, or does not show it to this user.`);
    for (const owner of owners) {
      // Of a group that does not exist Kafka says so only to a user who may describe it.
      await admin.describeGroups([messaging.prefixed(`${owner}.${SIGHT}`)]).catch((error: unknown) => {
        throw new Error(`This user may not describe the groups of ${owner}.`, { cause: error });
      });
    }
  });
}

/** The groups of these owners that have members, without prefix. Readers that keep no offsets are left out. */
export function membersOfGroups(messaging: Messaging, owners: readonly string[]): Promise<readonly string[]> {
  return messaging.administer(async (admin) => {
    const own = await groupsOf(admin, messaging, owners);
    if (own.length === 0) return [];
    const { groups } = await admin.describeGroups([...own]);
    return groups.flatMap(({ groupId, members }) =>
      members.length > 0 ? [messaging.unprefixed(groupId)] : [],
    );
  });
}

/**
 * Sets groups without members back to what was written since a time, never forward: a repetition changes nothing.
 * @returns every partition that is read again, or whose log no longer reaches back
 * @throws Error when a group has members, or Kafka has not taken an offset
 */
export async function rewindGroups(
  messaging: Messaging,
  { owners, topics, sinceMs }: Rewinding,
): Promise<readonly RewoundPartition[]> {
  const planned = await messaging.administer(async (admin) => {
    const since = new Map<string, ReadonlyMap<number, Start>>();
    const partitions: RewoundPartition[] = [];
    for (const groupId of await groupsOf(admin, messaging, owners)) {
      for (const { topic, partitions: committed } of await admin.fetchOffsets({ groupId })) {
        if (!topics.includes(messaging.unprefixed(topic))) continue;
        const starts = since.get(topic) ?? (await startsOf(admin, topic, sinceMs));
        since.set(topic, starts);
        const names = { group: messaging.unprefixed(groupId), topic: messaging.unprefixed(topic) };
        for (const { partition, offset } of committed) {
          const start = starts.get(partition);
          // A group without an offset begins at the oldest record.
          if (start === undefined || Number(offset) < 0) continue;
          const from = Number(offset);
          const to = Math.min(from, start.offset);
          partitions.push({ ...names, partition, from, to, isCutOff: start.isCutOff });
        }
      }
    }
    return partitions;
  });
  const moved = planned.filter(({ from, to }) => to < from);
  const byGroup = Map.groupBy(moved, ({ group }) => group);
  await Promise.all(Array.from(byGroup, ([group, some]) => moveGroup(messaging, group, some)));
  return planned.filter(({ from, to, isCutOff }) => to < from || isCutOff);
}

/**
 * Lets a group begin at what was written since a time, with a margin for clocks, in each topic in which it has no position yet. A group
 * that has members keeps what they read.
 * @throws Error when another process does the same: then it may be done
 */
export async function beginGroup(
  messaging: Messaging,
  { group, topics, sinceMs }: Pick<Rewinding, 'topics' | 'sinceMs'> & { readonly group: string },
): Promise<void> {
  const known = new Set((await messaging.lag(group)).map(({ topic }) => topic));
  const unread = topics.filter((name) => !known.has(name));
  if (unread.length === 0) return;
  const starts = await messaging.administer(async (admin) => {
    const partitions: Pick<RewoundPartition, 'topic' | 'partition' | 'to'>[] = [];
    for (const topic of unread) {
      const since = await startsOf(admin, messaging.prefixed(topic), sinceMs - CLOCK_SKEW_MS);
      for (const [partition, { offset }] of since) partitions.push({ topic, partition, to: offset });
    }
    return partitions;
  });
  await moveGroup(messaging, group, starts);
}

async function groupsOf(
  admin: Admin,
  messaging: Messaging,
  owners: readonly string[],
): Promise<readonly string[]> {
  const { groups } = await admin.listGroups();
  return groups
    .map(({ groupId }) => groupId)
    .filter((groupId) => groupId.startsWith(messaging.options.topicPrefix))
    .filter((groupId) => {
      const name = messaging.unprefixed(groupId);
      const isReader = READER_GROUPS.some((beginning) => name.startsWith(beginning));
      return !isReader && owners.some((owner) => name.startsWith(`${owner}.`));
    })
    .toSorted();
}

interface Start {
  readonly offset: number;
  readonly isCutOff: boolean;
}

/** The first record of each partition that was written since; its end where there is none. */
async function startsOf(admin: Admin, topic: string, sinceMs: number): Promise<ReadonlyMap<number, Start>> {
  const [found, ends] = [
    await admin.fetchTopicOffsetsByTimestamp(topic, sinceMs),
    await admin.fetchTopicOffsets(topic),
  ];
  const lows = new Map(ends.map(({ partition, low }) => [partition, Number(low)]));
  return new Map(
    found.map(({ partition, offset }) => {
      const low = lows.get(partition) ?? 0;
      const start = Math.max(low, Number(offset));
      return [partition, { offset: start, isCutOff: low > 0 && start === low }];
    }),
  );
}

/**
 * Commits for a group without members, all its topics at once. A member that joined for it, as the driver's admin client does for each
 * topic, would wait each time for others to join (`group.initial.rebalance.delay.ms`).
 * @param partitions topics without prefix
 * @throws Error when the group has members, which Kafka itself refuses
 */
export async function moveGroup(
  messaging: Messaging,
  group: string,
  partitions: readonly Pick<RewoundPartition, 'topic' | 'partition' | 'to'>[],
): Promise<void> {
  const groupId = messaging.prefixed(group);
  const goodbye = new Goodbye();
  const consumer = createDriver(messaging.driver).consumer({
    groupId,
    partitionAssigners: [goodbye.assigner],
  });
  const topics = Array.from(
    Map.groupBy(partitions, ({ topic }) => topic),
    ([topic, some]) => ({
      topic: messaging.prefixed(topic),
      partitions: some.map(({ partition, to }) => ({ partition, offset: String(to) })),
    }),
  );
  try {
    await consumer.connect();
    if (goodbye.cluster === undefined) throw new Error('The driver has not told its connection.');
    const coordinator = await goodbye.cluster.findGroupCoordinator({ groupId });
    await coordinator.offsetCommit({ groupId, ...NO_MEMBER, topics });
  } catch (error) {
    if (protocolErrorType(error) !== 'UNKNOWN_MEMBER_ID') throw error;
    throw new Error(`Kafka has not moved ${group}: does a service read?`, { cause: error });
  } finally {
    await consumer.disconnect();
  }
}
