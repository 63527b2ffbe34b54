import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig, serviceSettings } from '@truetally/platform';
import {
  createTestDatabase,
  dependenciesAnswer,
  eventually,
  freePort,
  type TestDatabase,
  testStack,
  testTopicPrefix,
} from '@truetally/testing';
import { type Database, openDatabase } from './database.js';
import { openProcessContext, type ProcessContext } from './process-context.js';

describe('the foundation of a service', () => {
  let database: TestDatabase;
  let context: ProcessContext;
  let opened: Database;

  beforeAll(async () => {
    database = await createTestDatabase('foundation');
  });

  afterEach(async () => {
    await context.messaging.close();
    if (!opened.pool.ended) await opened.pool.end();
    await context.operations.close();
  });

  it('a process is ready when it serves and has reached Kafka and Postgres, until it stops serving', async () => {
    const port = await freePort();
    const config = readConfig(
      {
        KAFKA_BROKERS: testStack().kafkaBrokers,
        KAFKA_TOPIC_PREFIX: testTopicPrefix(),
        DATABASE_URL: database.url,
        DATABASE_SCHEMA: database.schema,
        OPERATIONS_PORT: String(port),
        LOG_LEVEL: 'fatal',
      },
      serviceSettings('some-service'),
    );
    context = await openProcessContext({ service: 'some-service', config }, new AbortController().signal);
    opened = openDatabase({ config, connections: 1 }, context);
    const read = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/health/ready`);
      return [response.status, await response.json()];
    };
    // A busy Postgres may not answer a look in time.
    const reads = (expected: readonly unknown[]) =>
      eventually(async () => {
        expect(await read()).toMatchObject(expected);
        return true;
      });
    await reads([503, { dependencies: { serving: false, kafka: false, postgres: true } }]);
    await context.messaging.start();
    await eventually(() => context.messaging.healthy());
    await reads([503, { dependencies: { serving: false, kafka: true, postgres: true } }]);
    context.setServing(true);
    expect(await read()).toMatchObject([200, { dependencies: { serving: true } }]);
    await eventually(() => dependenciesAnswer(port));
    // Postgres goes; the process keeps its endpoint, where it answers that it is not available.
    await opened.pool.end();
    await eventually(async () => !(await dependenciesAnswer(port)));
    expect(await read()).toEqual([200, { status: 'ready', dependencies: { serving: true } }]);
    context.setServing(false);
    expect(await read()).toMatchObject([503, { dependencies: { serving: false } }]);
  });
});
