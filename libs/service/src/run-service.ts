import 'reflect-metadata';
import { type DynamicModule, type INestMicroservice, Module, type Type } from '@nestjs/common';
import {
  jobStepTopicsOf,
  type ServiceEntry,
  setAsideOperationsOf,
  topicsOf,
} from '@truetally/contracts/services';
import { type TopicSpec, TOPICS } from '@truetally/contracts/topics';
import type { OutboxRelay, OutboxRelayOptions, SharedReader } from '@truetally/persistence';
import type { Pool } from 'pg';
import { type Database, openDatabase } from './database.js';
import type { FoundationOptions } from './foundation.js';
import { openRelay } from './open-relay.js';
import { receiveMarks } from './receive-marks.js';
import { RewindWatch } from './rewind-watch.js';
import { type Ground, type ProcessParts, runProcess } from './run-process.js';
import { serveMessages } from './serve-messages.js';
import { setAsideConsumer } from './set-aside-consumer.js';
import type { SiteErasure } from './site-erasure.js';
import { siteErasureConsumer } from './site-erasure-consumer.js';

/** A service, its connections, and how its parts are constructed. */
export interface ServiceOptions extends Omit<FoundationOptions, 'service'> {
  readonly entry: ServiceEntry;
  readonly databaseConnections: number;
  /** Whether their statements are pipelined (PoolOptions). */
  readonly pipeline?: boolean;
  /** Topics of other services that must exist before it starts: those that it reads or asks. */
  readonly topics?: readonly TopicSpec[];
  /** Constructs the parts of the service. Nothing is connected yet. */
  readonly build: (surroundings: Surroundings) => ServiceParts | Promise<ServiceParts>;
}

/** What the parts of a service are constructed from. */
export interface Surroundings extends Ground, Database {
  /** Creates the relay from the service's outbox to Kafka, for services that publish facts. */
  openRelay(options?: Pick<OutboxRelayOptions, 'unpack'>): OutboxRelay;
}

/** In order of use: each part starts after the previous one, and stops before it. */
export interface ServiceParts {
  /** Its consumers. */
  readonly module: DynamicModule;
  /** For services that erase sites. */
  readonly siteErasure?: SiteErasure;
  /** Runs when Kafka and its topics are ready, before the first request. */
  readonly prepare?: () => Promise<void>;
  /** Started with the serving of requests, and closed with it: these take no new work either. */
  readonly follow?: readonly (() => Promise<{ close(): Promise<void> }>)[];
  /** Runs when no new work arrives: stops background work before its connections close. */
  readonly stop?: () => Promise<void>;
}

/**
 * Runs a service behind Kafka from start to stop: database and outbox, topics, consumers, readiness, and an orderly
 * stop at a signal. Resolves when it serves.
 */
export function runService({ entry, config, ...options }: ServiceOptions): Promise<void> {
  return runProcess({
    service: entry.name,
    config,
    build: (ground) => buildService({ entry, config, ...options }, ground),
  });
}

async function buildService(
  { entry, config, databaseConnections: connections, pipeline = false, topics = [], build }: ServiceOptions,
  ground: Ground,
): Promise<ProcessParts> {
  const { messaging, metrics, log, stopping } = ground;
  const database = openDatabase({ config, connections, pipeline }, ground);
  const relays: OutboxRelay[] = [];
  const readers: SharedReader[] = [];
  const parts = await build({
    ...ground,
    ...database,
    openRelay: (options) => kept(relays, openRelay({ ...ground, ...database, ...options })),
    openReader: (max) => kept(readers, database.openReader(max)),
  });
  const { pool } = database;
  const watch = new RewindWatch({ pool, metrics, log });
  const controllers = [...erasingControllers(entry, parts), ...setAsideControllers(entry, pool, relays)];
  const module = { module: ServiceModule, imports: [parts.module], controllers };
  let service: INestMicroservice | undefined;
  let followed: readonly { close(): Promise<void> }[] = [];
  return {
    topics: [...topicsOf(entry), ...topics, TOPICS.auditRecorded, TOPICS.sitesErased],
    start: async () => {
      relays.forEach((relay) => relay.start());
      if (entry.isAskedToEraseSites) await receiveMarks({ ...ground, pool });
      await parts.prepare?.();
      watch.start();
      stopping.throwIfAborted();
      [service, followed] = await Promise.all([
        serveMessages(module, messaging, { group: entry.name }),
        Promise.all((parts.follow ?? []).map((follow) => follow())),
      ]);
    },
    drain: async () => {
      await Promise.all([service?.close(), watch.stop(), ...followed.map((one) => one.close())]);
      await parts.stop?.();
    },
    // What a relay has not published is in the outbox still.
    settle: async () => {
      await Promise.all(relays.map((relay) => relay.stop()));
    },
    release: async () => {
      await Promise.all([pool.end(), ...readers.map((reader) => reader.close())]);
    },
  };
}

@Module({})
class ServiceModule {}

function erasingControllers(entry: ServiceEntry, { siteErasure }: ServiceParts): readonly Type[] {
  const topics = jobStepTopicsOf(entry);
  if (topics.length > 0 && siteErasure === undefined) {
    throw new Error(`The catalogue says that ${entry.name} is asked to erase sites, and nothing here does.`);
  }
  return topics.flatMap(({ name }) =>
    siteErasure === undefined ? [] : [siteErasureConsumer(name, siteErasure)],
  );
}

function setAsideControllers(
  entry: ServiceEntry,
  pool: Pool,
  [relay]: readonly OutboxRelay[],
): readonly Type[] {
  const operations = setAsideOperationsOf(entry);
  if ((operations === undefined) !== (relay === undefined)) {
    throw new Error(`The catalogue is wrong about whether ${entry.name} has an outbox.`);
  }
  if (operations === undefined || relay === undefined) return [];
  return [setAsideConsumer(operations, { service: entry.name, pool, relay })];
}

function kept<T>(list: T[], one: T): T {
  list.push(one);
  return one;
}
