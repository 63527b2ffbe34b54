import { eventually, type LocalKafka } from '@truetally/processes';
import { openMessaging } from '@truetally/testing-product';
import { type Arena } from '../arena.js';
import { type Scenario } from '../scenario.js';

export const KILLED_BROKER: Scenario = {
  name: 'kill-broker',
  what: 'the only broker gets SIGKILL, and is started again',
  brokers: 1,
  mayFail: [],
  run: async (arena, load) => {
    const broker = brokerOf(arena, 0);
    await broker.kill('SIGKILL');
    await load.felt();
    await broker.restart();
    load.mark();
  },
};

const STOPPED: Scenario = {
  name: 'stopped-broker',
  what: 'the only broker is stopped (SIGSTOP), and continues',
  brokers: 1,
  mayFail: [],
  run: async (arena, load) => {
    const broker = brokerOf(arena, 0);
    await broker.kill('SIGSTOP');
    await load.felt();
    await broker.kill('SIGCONT');
    load.mark();
  },
};

/** The first lost broker has no effect; without the second, writes are no longer acknowledged. */
export const BROKERS: Scenario = {
  name: 'brokers',
  what: 'of three brokers one is killed, then a second; both are started again',
  brokers: 3,
  mayFail: [],
  run: async (arena, load, { answers }) => {
    load.mark();
    await brokerOf(arena, 2).kill('SIGKILL');
    await load.recovered();
    await load.more(answers);
    await brokerOf(arena, 1).kill('SIGKILL');
    await load.felt();
    await Promise.all([brokerOf(arena, 1).restart(), brokerOf(arena, 2).restart()]);
    load.mark();
  },
};

/** As operators replace the brokers of a cluster: the next one when every copy is in sync again. */
export const ROLLING_BROKERS: Scenario = {
  name: 'rolling-brokers',
  what: 'each of three brokers is restarted in turn, when all copies are in sync again',
  brokers: 3,
  mayFail: [],
  run: async (arena, load, { answers }) => {
    for (const broker of arena.kafka) {
      await broker.restart();
      await inSync(arena);
      await load.more(answers);
    }
    load.mark();
  },
};

export const DISK_FULL: Scenario = {
  name: 'disk-full-broker',
  what: "the only broker's disk is full; then it has space again, and the broker is restarted",
  brokers: 1,
  mayFail: [],
  lacks: ({ disks }) => (disks === null ? 'no file system may be mounted here' : undefined),
  run: async (arena, load) => {
    const broker = brokerOf(arena, 0);
    arena.disks?.kafka.fill();
    await load.felt();
    arena.disks?.kafka.free();
    // A broker stops using a log that it could not write, until it is restarted.
    await broker.restart();
    load.mark();
  },
};

async function inSync({ product }: Arena): Promise<void> {
  const { kafkaBrokers, topicPrefix } = product.installation;
  const messaging = await openMessaging(kafkaBrokers, topicPrefix, 'chaos');
  const behind = async (): Promise<number> =>
    (await messaging.topics()).filter(({ underReplicatedPartitions }) => underReplicatedPartitions > 0)
      .length;
  await eventually(async () => (await behind()) === 0, { timeoutMs: 120_000, message: 'all copies in sync' });
  await messaging.close();
}

function brokerOf({ kafka }: Arena, index: number): LocalKafka {
  const broker = kafka[index];
  if (broker === undefined) throw new Error(`There is no broker ${index}.`);
  return broker;
}

export const ONE_BROKER: readonly Scenario[] = [KILLED_BROKER, STOPPED, DISK_FULL];
