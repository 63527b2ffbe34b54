import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { SERVICE_NAMES, type ServiceName, SERVICES } from '@truetally/contracts/services';
import {
  eventually,
  type ManagedProcess,
  removePostgresData,
  startPostgres,
  testKafkaFolder,
  testStack,
} from '@truetally/testing';
import { launchProduct, type LaunchedProduct } from '@truetally/testing-product';
import pg from 'pg';
import { startRotation } from './clicks.js';
import { backUp } from './backup.js';
import { filesThatHold, formsOf } from './search-files.js';

const LOUD = { LOG_LEVEL: 'trace' };
/** The receiver of webhooks is on this machine. */
const REACHES_LOOPBACK = { ALLOW_PRIVATE_NETWORKS: '127.0.0.1/32' };
const LOGS = 'logs';
/** The services that tests of it stop, in turn: they share a process. */
const STOPPED: readonly ServiceName[] = ['attribution-ledger', 'publisher-analytics'];

/** The product with the most detailed logs of its services and of a Postgres of its own, on the run's Kafka. */
export interface LoudProduct {
  readonly folder: string;
  readonly product: LaunchedProduct;
  /** Of the schemas of management and of the ledger. */
  readonly owner: pg.Client;
  /** Files that contain a text in any encoding, of all files that the product and its servers have written. */
  holding(text: string): readonly string[];
  /** Also what rotations have said. */
  processLogs(): string;
  /** Every row of every table of every schema as text, by the table's name. */
  backup(): Promise<ReadonlyMap<string, string>>;
  /** `keys:rotate` over all sealed values of this product. */
  startRotation(parameters?: readonly string[]): Promise<ManagedProcess>;
  /** Resolves when waiting facts are published and buffers are written to files. */
  settle(): Promise<void>;
  /** No file, log line or answer contains one of the secrets in any encoding. */
  expectNowhere(secrets: Iterable<string>, answers: readonly string[]): void;
  stop(): Promise<void>;
}

export async function launchLoudProduct(): Promise<LoudProduct> {
  const folder = await mkdtemp(join(tmpdir(), 'truetally-loud-'));
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    logFile: join(folder, 'postgres.log'),
    user: 'owner',
    password: 'owner',
  });
  const stack = { kafkaBrokers: testStack().kafkaBrokers, databaseUrl: postgres.url };
  const env = Object.fromEntries(
    SERVICE_NAMES.map((name) => [
      name,
      { ...LOUD, ...(name === 'gateway' || name === 'outbound' ? REACHES_LOOPBACK : {}) },
    ]),
  );
  const product = await launchProduct({
    stack,
    services: SERVICE_NAMES.filter((name) => !STOPPED.includes(name)),
    inOneProcess: true,
    hasFewPartitions: true,
    replicas: { gateway: 2 },
    env,
    logFolder: join(folder, LOGS),
  });
  await product.addTogether(STOPPED);
  const owner = new pg.Client({
    connectionString: postgres.url,
    options: `-c search_path=${product.schema('management')},${product.schema('attribution-ledger')}`,
  });
  await owner.connect();
  // Logs every statement with its parameters, as an operator would during an investigation.
  await owner.query('alter system set log_min_duration_statement = 0');
  await owner.query('select pg_reload_conf()');
  const { mediaDirectory, topicPrefix } = product.installation;
  const own = [join(folder, 'postgres.log'), join(folder, LOGS), postgres.dataDir, mediaDirectory];
  const places = (): readonly string[] => [...own, ...writtenByKafka(topicPrefix)];
  const rotations: ManagedProcess[] = [];
  const processLogs = (): string => [logsIn(folder), ...rotations.map((one) => one.output())].join('\n');
  const holding = (text: string): readonly string[] => filesThatHold(places(), [text]);
  return {
    folder,
    product,
    owner,
    holding,
    processLogs,
    startRotation: async (parameters = []) => {
      const all = ['--settle-seconds', '3', ...parameters];
      const rotation = await startRotation(all, product.installation);
      rotations.push(rotation);
      return rotation;
    },
    backup: () => backUp(owner),
    settle: async () => {
      for (const { name } of SERVICES.filter(({ hasOutbox }) => hasOutbox)) {
        const waiting = `select from ${product.schema(name)}.outbox`;
        await eventually(async () => (await owner.query(waiting)).rowCount === 0, {
          message: `every fact of ${name} to be published`,
        });
      }
      await owner.query('checkpoint');
    },
    expectNowhere: (secrets, answers) => {
      const all = [...secrets];
      // Together, because a search reads some hundred megabytes.
      expect(filesThatHold(places(), all)).toEqual([]);
      // What services have logged is in their files.
      const said = [...rotations.map((one) => one.output()), ...answers];
      for (const form of all.flatMap(formsOf)) {
        const text = form.toString('latin1');
        expect([text, said.some((one) => one.includes(text))]).toEqual([text, false]);
      }
    },
    stop: async () => {
      await owner.end();
      await product.stop();
      await postgres.stop();
      await removePostgresData(postgres.dataDir);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The topics of a product, the broker's own, and what the broker has said. */
function writtenByKafka(topicPrefix: string): readonly string[] {
  const folder = testKafkaFolder();
  const log = join(folder, 'log');
  const topics = readdirSync(log).filter((name) => name.startsWith(topicPrefix) || name.startsWith('__'));
  return [join(folder, 'kafka.log'), ...topics.map((name) => join(log, name))];
}

/** Everything that any process of the product has logged. */
function logsIn(folder: string): string {
  const logs = readdirSync(join(folder, LOGS)).map((name) => readFileSync(join(folder, LOGS, name), 'utf8'));
  return logs.join('\n');
}
