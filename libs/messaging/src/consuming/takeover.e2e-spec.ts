import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, ManagedProcess, NODE_BINARY, REPOSITORY_ROOT, uniqueName } from '@truetally/testing';
import { KafkaAskClient } from '../index.js';
import { AskingLoad } from '../testing/asking-load.js';
import { Closing, openBus, type TestBus } from '../testing/bus.js';
import { committedOffsets } from '../testing/raw.js';

const SERVICE = join(REPOSITORY_ROOT, 'libs', 'messaging', 'dist-testing', 'storing-service.js');
const ASKERS = 32;
/** Ten rounds of all askers. */
const SOME_ANSWERS = 10 * ASKERS;

let closing: Closing;
let bus: TestBus;
let client: KafkaAskClient;
let topic: string;
let group: string;
let folder: string;

beforeEach(async () => {
  closing = new Closing();
  files.clear();
  folder = closing.add(await mkdtemp(join(tmpdir(), 'takeover-')), (path) => rm(path, { recursive: true }));
  bus = closing.add(await openBus(), ({ messaging }) => messaging.close());
  topic = uniqueName('takeover');
  group = uniqueName('group');
  await bus.messaging.ensureTopics([{ name: topic, partitions: 6 }]);
  client = closing.add(new KafkaAskClient(bus.messaging, { deadlineMs: 240_000 }), (each) => each.close());
  await client.connect();
});

afterEach(() => closing.closeAll());

describe('a group of consumers', () => {
  it('loses nothing when one of them is killed: the others take over and every ask is answered', async () => {
    const victim = await startService();
    await startService();
    const load = closing.add(new AskingLoad(client, topic), (each) => each.stop());
    load.start(ASKERS);
    await eventually(() => load.answered > SOME_ANSWERS);
    await victim.stop('SIGKILL');
    const atKill = load.answered;
    await eventually(() => load.answered > atKill + SOME_ANSWERS);
    await load.stop();
    await expectAllStored(load);
  });

  it('loses nothing when one joins and one leaves under load', async () => {
    await startService();
    const leaver = await startService();
    const load = closing.add(new AskingLoad(client, topic), (each) => each.stop());
    load.start(ASKERS);
    await eventually(() => load.answered > SOME_ANSWERS);
    const joiner = await startService();
    await eventually(() => readLines(joiner.pid).then((lines) => lines.length > 100));
    await eventually(async () => (await membersOf(`${group}.${topic}`)) === 3);
    expect(await leaver.stop()).toEqual({ code: 0, signal: null });
    // It left its group, so that others need not wait for its session timeout.
    expect(await membersOf(`${group}.${topic}`)).toBe(2);
    const atLeave = load.answered;
    await eventually(() => load.answered > atLeave + SOME_ANSWERS);
    await load.stop();
    await expectAllStored(load);
    await eventually(
      async () => (await committedOffsets(bus.messaging, `${group}.${topic}`, topic)) === load.asked,
    );
  });
});

async function membersOf(name: string): Promise<number | undefined> {
  const { groups } = await bus.messaging.administer((admin) =>
    admin.describeGroups([bus.messaging.prefixed(name)]),
  );
  return groups[0]?.members.length;
}

async function startService(): Promise<ManagedProcess> {
  const { brokers, topicPrefix } = bus.messaging.options;
  const file = join(folder, uniqueName('stored'));
  const service = await ManagedProcess.start({
    name: 'storing service',
    command: NODE_BINARY,
    args: [SERVICE, brokers.join(','), topicPrefix, topic, group, file],
    env: process.env,
  });
  closing.add(service, (each) => each.stop());
  files.set(service.pid, file);

  await eventually(() => service.output().includes('serving'), {
    message: () => `the service to serve:\n${service.tail()}`,
  });
  return service;
}

const files = new Map<number, string>();

async function readLines(pid: number): Promise<readonly string[]> {
  const text = await readFile(files.get(pid) ?? '', 'utf8').catch(() => '');
  return text.split('\n').slice(0, -1);
}

async function expectAllStored(load: AskingLoad): Promise<void> {
  expect(load.refused).toEqual([]);
  const stored = new Set((await Promise.all([...files.keys()].map(readLines))).flat());
  expect(load.values.filter((value) => !stored.has(value))).toEqual([]);
}
