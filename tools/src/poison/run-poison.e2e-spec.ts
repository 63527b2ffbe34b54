import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MANAGEMENT } from '@truetally/contracts/management';
import { sharedTopicsOf } from '@truetally/contracts/services';
import { OPERATIONS } from '@truetally/contracts/topics';
import { subscribe } from '@truetally/messaging';
import {
  eventually,
  ManagedProcess,
  NODE_BINARY,
  programEnvironment,
  REPOSITORY_ROOT,
  testStack,
  uniqueName,
} from '@truetally/testing';
import { openMessaging } from '@truetally/testing-product';
import { type Told, toldBy } from '../testing/told-by.js';
import { runPoison } from './run-poison.js';

/** The services' own tests cover its handling: this one shows only that it reaches the topic. */
describe('npm run poison', () => {
  const folder = mkdtempSync(join(tmpdir(), 'truetally-poison-'));
  const topic = OPERATIONS.cancelJob.address;

  const environment = { TRUETALLY_LOCAL_DIR: folder };

  const run = (...parameters: string[]): Promise<Told> => toldBy(() => runPoison(parameters, environment));

  const runInProcess = async (...parameters: string[]): Promise<Told> => {
    const command = await ManagedProcess.start({
      name: 'poison',
      command: NODE_BINARY,
      args: [join(REPOSITORY_ROOT, 'tools', 'dist', 'poison.js'), ...parameters],
      env: { ...programEnvironment(), ...environment },
    });
    const { code } = await command.exited;
    await eventually(() => command.output().endsWith('\n'));
    return { code, output: command.output() };
  };

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('asks for a stack where none runs', async () => {
    const { code, output } = await run();
    expect(code).toBe(1);
    expect(output).toContain('start one with "npm start"');
  });

  describe('with a stack', () => {
    beforeAll(() => {
      const stack = { kafka_brokers: testStack().kafkaBrokers };
      writeFileSync(join(folder, 'stack.json'), JSON.stringify(stack));
    });

    it('writes a message to the named topic, and prints the id of its dead letter', async () => {
      // The topics of the local stack have no prefix, unlike all others in these tests.
      const messaging = await openMessaging(testStack().kafkaBrokers, '', 'poison-test');
      await messaging.ensureTopics(sharedTopicsOf(MANAGEMENT));
      const seen: unknown[] = [];
      const subscription = await subscribe(messaging, {
        topics: sharedTopicsOf(MANAGEMENT).map(({ name }) => name),
        group: uniqueName('poison'),
        handler: (facts) => {
          seen.push(
            ...facts.map(({ value, headers }) => ({
              value,
              requestId: headers['request-id'],
              operation: headers['operation'],
            })),
          );
          return Promise.resolve();
        },
      });
      const { output } = await runInProcess('--topic', topic, '--value', 'junk', '--request-id', 'poison-7');
      expect(JSON.parse(output)).toEqual({ topic, request_id: 'poison-7' });
      await eventually(() => seen.length > 0);
      expect(seen).toEqual([{ value: 'junk', requestId: 'poison-7', operation: 'cancel-job' }]);
      await subscription.close();
      await messaging.close();
    });

    it('names the topics where the one that is asked for is none', async () => {
      const { code, output } = await run('--topic', 'nowhere');
      expect(code).toBe(1);
      expect(output).toContain('--topic must be one of');
      expect(output).toContain(topic);
    });
  });
});
