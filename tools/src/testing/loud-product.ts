import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import {
  eventually,
  type ManagedProcess,
  programEnvironment,
  removePostgresData,
  startKafka,
  startPostgres,
} from '@truetally/testing';
import { launchProduct, type LaunchedProduct, serviceEnvironment } from '@truetally/testing-product';
import pg from 'pg';
import { startTool } from './clicks.js';
import { backUp } from './backup.js';
import { filesThatHold, formsOf } from './search-files.js';

/** Of a process's output. */
const KEPT_CHARACTERS = 256 * 1024;
const LOUD = { LOG_LEVEL: 'trace' };

/** The product over a Kafka and a Postgres of its own, all of which write down as much as they ever do. */
export interface LoudProduct {
  readonly folder: string;
  readonly product: LaunchedProduct;
  /** Of one service's schema. */
  readonly owner: pg.Client;
  /** Files that hold a text in any form, of everything that the product and its servers have written. */
  holding(text: string): readonly string[];
  processLogs(): string;
  /** Every row of every table of every schema as text, by the table's name. */
  backup(): Promise<ReadonlyMap<string, string>>;
  /** `keys:rotate` over all that this product has sealed. */
  startRotation(): Promise<ManagedProcess>;
  /** What is waiting has gone to its topic, and what is in memory to the files. */
  settle(): Promise<void>;
  /** Neither a file nor a log line nor one of these answers holds the secret in any form. */
  expectNowhere(secret: string, answers: readonly string[]): void;
  stop(): Promise<void>;
}

export async function launchLoudProduct(schemaOf: ServiceName): Promise<LoudProduct> {
  const folder = await mkdtemp(join(tmpdir(), 'truetally-loud-'));
  const [kafka, postgres] = await Promise.all([
    startKafka({ dataDir: join(folder, 'kafka'), logFile: join(folder, 'kafka.log') }),
    startPostgres({
      dataDir: join(folder, 'postgres'),
      logFile: join(folder, 'postgres.log'),
      user: 'postgres',
      password: 'postgres',
    }),
  ]);
  const stack = { kafkaBrokers: kafka.brokers, databaseUrl: postgres.url };
  const env = Object.fromEntries(SERVICE_NAMES.map((name) => [name, LOUD]));
  const product = await launchProduct({ stack, replicas: { gateway: 2 }, env });
  const owner = new pg.Client({
    connectionString: postgres.url,
    options: `-c search_path=${product.schema(schemaOf)}`,
  });
  await owner.connect();
  // Every statement with its parameters, as an operator who looks for a fault would have it.
  await owner.query('alter system set log_min_duration_statement = 0');
  await owner.query('select pg_reload_conf()');
  const places = ['kafka', 'kafka.log', 'postgres.log'].map((name) => join(folder, name));
  places.push(postgres.dataDir, product.installation.mediaDirectory);
  const holding = (text: string): readonly string[] => filesThatHold(places, [text]);
  return {
    folder,
    product,
    owner,
    holding,
    processLogs: () => logsOf(product),
    startRotation: () => startRotation(product),
    backup: () => backUp(owner),
    settle: async () => {
      await eventually(async () => (await owner.query('select from outbox')).rowCount === 0, {
        message: 'every fact to be published',
      });
      await owner.query('checkpoint');
    },
    expectNowhere: (secret, answers) => {
      expect(holding(secret)).toEqual([]);
      for (const form of formsOf(secret)) {
        const text = form.toString('latin1');
        expect(logsOf(product).includes(text)).toBe(false);
        expect(answers.filter((answer) => answer.includes(text))).toEqual([]);
      }
    },
    stop: async () => {
      await owner.end();
      await product.stop();
      await kafka.stop();
      await postgres.stop();
      await removePostgresData(postgres.dataDir);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function startRotation({ installation }: LaunchedProduct): Promise<ManagedProcess> {
  const ledger = serviceEnvironment(installation, 'attribution-ledger');
  const management = serviceEnvironment(installation, 'management');
  const publisher = serviceEnvironment(installation, 'publisher-analytics');
  return startTool('keys-rotate', ['--settle-seconds', '3'], {
    ...programEnvironment(),
    DATABASE_URL: ledger['DATABASE_URL'],
    DATABASE_SCHEMA: ledger['DATABASE_SCHEMA'],
    MANAGEMENT_DATABASE_URL: management['DATABASE_URL'],
    MANAGEMENT_DATABASE_SCHEMA: management['DATABASE_SCHEMA'],
    PUBLISHER_DATABASE_URL: publisher['DATABASE_URL'],
    PUBLISHER_DATABASE_SCHEMA: publisher['DATABASE_SCHEMA'],
    KEYRING_FILE: installation.keyringFile,
  });
}

function logsOf(product: LaunchedProduct): string {
  const services = SERVICE_NAMES.flatMap((name) => product.processes(name));
  const logs = services.map((service) => service.output());
  // More is not kept, and what is not kept is not searched.
  for (const log of logs) expect(log.length).toBeLessThan(KEPT_CHARACTERS);
  return logs.join('\n');
}
