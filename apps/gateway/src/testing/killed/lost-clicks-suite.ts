import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TOPICS } from '@truetally/contracts/topics';
import type { Messaging } from '@truetally/messaging';
import {
  eventually,
  ManagedProcess,
  NODE_BINARY,
  programEnvironment,
  REPOSITORY_ROOT,
} from '@truetally/testing';
import {
  type Environment,
  type LaunchedProduct,
  openMessaging,
  serviceEnvironment,
} from '@truetally/testing-product';
import { Publisher } from '../publisher/publisher.js';

const SERVICE = 'publisher-analytics';
const READ = 19;
const LOST = 6;
const MARCH = { from: '2026-03-01', to: '2026-04-01' };
const AT = '2026-03-10T12:00:00Z';

/** Needs publisher analytics in a process of its own, and a product of which no clicks are known. */
export function whatIsLostOfClicks(launched: () => LaunchedProduct): void {
  describe('clicks whose facts expire while their reader is away', () => {
    let product: LaunchedProduct;
    let messaging: Messaging;
    let publisher: Publisher;

    beforeAll(async () => {
      product = launched();
      const { kafkaBrokers, topicPrefix } = product.installation;
      messaging = await openMessaging(kafkaBrokers, topicPrefix, 'lost-clicks');
      publisher = await Publisher.open(product);
    });

    afterAll(() => messaging.close());

    /** Runs a command as the owner of the installation does. @returns its exit code, and what it said */
    async function run(command: string, args: readonly string[], env: Environment) {
      const running = await ManagedProcess.start({
        name: command,
        command: NODE_BINARY,
        args: [join(REPOSITORY_ROOT, 'tools', 'dist', `${command}.js`), ...args],
        env: { ...programEnvironment(), ...env },
        cwd: REPOSITORY_ROOT,
      });
      const { code } = await running.exited;
      return { code, said: running.tail() };
    }

    const verify = () =>
      run('publisher-verify', [], {
        DATABASE_URL: product.installation.databaseUrl,
        DATABASE_SCHEMA: product.schema(SERVICE),
        INGESTION_SCHEMA: product.schema('ingestion'),
      });

    const republish = (from: string) => {
      const environment = serviceEnvironment(product.installation, 'ingestion');
      return run('republish', ['clicks', '--from', from], environment);
    };

    async function click(times: number): Promise<void> {
      for (let n = 0; n < times; n += 1) {
        expect((await publisher.click({ reference: `reference-${n}`, at: AT })).status).toBe(201);
      }
    }

    /** As retention removes them: every record that the topic has, as soon as it has that of each click. */
    async function expire(): Promise<void> {
      await messaging.administer(async (admin) => {
        const topic = messaging.prefixed(TOPICS.clicksStored.name);
        const partitions = await eventually(async () => {
          const ends = await admin.fetchTopicOffsets(topic);
          const records = ends.reduce((sum, { high }) => sum + Number(high), 0);
          return records === READ + LOST && ends.map(({ partition, high }) => ({ partition, offset: high }));
        });
        await admin.deleteTopicRecords({ topic, partitions });
      });
    }

    async function readAll(): Promise<void> {
      await eventually(async () => {
        const lags = (await messaging.lag()).filter(({ group }) => group === `${SERVICE}.follow-clicks`);
        return lags.length > 0 && lags.every(({ lag }) => lag === 0);
      });
    }

    it('expired clicks are noticed, found by the verification, and published again by their owner', async () => {
      await click(READ);
      await publisher.reportWhen(MARCH, (report) => report.observed_clicks === READ);
      await readAll();
      const [service] = product.processes(SERVICE);
      if (service === undefined) throw new Error('The service was not started.');
      await service.kill();
      const since = new Date().toISOString();
      await click(LOST);
      await expire();
      await eventually(async () => {
        const lags = (await messaging.lag()).filter(({ topic }) => topic === TOPICS.clicksStored.name);
        return lags.reduce((sum, { expired }) => sum + expired, 0) === LOST;
      });
      await service.restart();

      const counted = /truetally_messaging_expired_unread_total\{[^}]*topic="clicks.stored.v1"[^}]*\} (\d+)/;
      await eventually(async () => {
        const metrics = await (await fetch(`http://127.0.0.1:${service.operationsPort}/metrics`)).text();
        return counted.exec(metrics)?.[1] === String(LOST);
      });
      expect((await publisher.report(MARCH)).body.data?.observed_clicks).toBe(READ);
      expect(await verify()).toMatchObject({ code: 1, said: expect.stringContaining(`"missing":${LOST}`) });

      expect(await republish(since)).toMatchObject({
        code: 0,
        said: expect.stringContaining(`"facts":${LOST}`),
      });
      await publisher.reportWhen(MARCH, (report) => report.observed_clicks === READ + LOST);
      expect(await verify()).toMatchObject({ code: 0 });
      // All of them once more change nothing.
      expect(await republish('2026-01-01')).toMatchObject({
        code: 0,
        said: expect.stringContaining(`"facts":${READ + LOST}`),
      });
      await readAll();
      expect(await verify()).toMatchObject({ code: 0 });
      expect((await publisher.report(MARCH)).body.data?.observed_clicks).toBe(READ + LOST);
    });
  });
}
