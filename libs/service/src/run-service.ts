import 'reflect-metadata';
import { type INestMicroservice, Module, type Type } from '@nestjs/common';
import {
  type ServiceEntry,
  setAsideOperationsOf,
  topicsOf,
  topicsUsedBy,
} from '@truetally/contracts/services';
import { TOPICS } from '@truetally/contracts/topics';
import type { OutboxRelay, OutboxRelayOptions, SharedReader } from '@truetally/persistence';
import type { Pool } from 'pg';
import { type Answers, consumerOf } from './answers.js';
import { type Database, openDatabase } from './database.js';
import { openRelay } from './open-relay.js';
import type { ProcessContext, ProcessContextOptions } from './process-context.js';
import { receiveMarks } from './receive-marks.js';
import { RewindWatch } from './rewind-watch.js';
import { type ProcessParts, runProcess } from './run-process.js';
import { serveMessages } from './serve-messages.js';
import { setAsideConsumer } from './set-aside-consumer.js';
import type { ErasesPeople } from './person-erasure.js';
import type { SiteErasure } from './site-erasure.js';
import { siteErasureConsumer } from './site-erasure-consumer.js';

/** A service, its connections, and how its parts are constructed. */
export interface ServiceOptions extends Omit<ProcessContextOptions, 'service'> {
  readonly entry: ServiceEntry;
  readonly databaseConnections: number;
  /** Whether their statements are pipelined (PoolOptions). */
  readonly pipeline?: boolean;
  /** Constructs the parts of the service. Nothing is connected yet. */
  readonly build: (context: ServiceContext) => ServiceParts | Promise<ServiceParts>;
}

/** What the parts of a service are constructed from. */
export interface ServiceContext extends ProcessContext, Database {
  /** Creates the relay from the service's outbox to Kafka, for services that publish facts. */
  openRelay(options?: Pick<OutboxRelayOptions, 'gatherMs' | 'unpack' | 'bytesPerSend'>): OutboxRelay;
}

/** In order of use: each part starts after the previous one, and stops before it. */
export interface ServiceParts {
  readonly answers: Answers;
  /** Consumers that take many requests together. */
  readonly controllers?: readonly Type[];
  /** What these are given, by its class. */
  readonly providers?: readonly object[];
  /** For services that erase sites. */
  readonly siteErasure?: Pick<SiteErasure, 'step'>;
  /** For services that know people. */
  readonly personErasure?: ErasesPeople;
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
    isPatient: true,
    build: (context) => buildService({ entry, config, ...options }, context),
  });
}

async function buildService(
  { entry, config, databaseConnections: connections, pipeline = false, build }: ServiceOptions,
  context: ProcessContext,
): Promise<ProcessParts> {
  const { messaging, metrics, log, stopping } = context;
  const database = openDatabase({ config, connections, pipeline }, context);
  const relays: OutboxRelay[] = [];
  const readers: SharedReader[] = [];
  const parts = await build({
    ...context,
    ...database,
    openRelay: (options) => kept(relays, openRelay({ ...context, ...database, ...options })),
    openReader: (max) => kept(readers, database.openReader(max)),
  });
  const { pool } = database;
  const watch = new RewindWatch({ pool, metrics, log });
  const controllers = [
    consumerOf(parts.answers),
    ...(parts.controllers ?? []),
    ...erasingControllers(entry, parts),
    ...setAsideControllers(entry, pool, relays),
  ];
  const providers = parts.providers?.map((part) => ({ provide: part.constructor, useValue: part })) ?? [];
  const module = { module: ServiceModule, controllers, providers };
  let service: INestMicroservice | undefined;
  let followed: readonly { close(): Promise<void> }[] = [];
  return {
    topics: [...topicsOf(entry), ...topicsUsedBy(entry), TOPICS.auditRecorded, TOPICS.sitesErased],
    start: async () => {
      relays.forEach((relay) => relay.start());
      if (entry.isAskedToEraseSites) await receiveMarks({ ...context, pool });
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

function erasingControllers(
  entry: ServiceEntry,
  { siteErasure, personErasure }: ServiceParts,
): readonly Type[] {
  if (!entry.isAskedToEraseSites) return [];
  if (siteErasure === undefined) {
    throw new Error(`The catalogue says that ${entry.name} is asked to erase sites, and nothing here does.`);
  }
  if ((entry.knowsPeopleBy === 'nothing') !== (personErasure === undefined)) {
    throw new Error(`The catalogue is wrong about whether ${entry.name} knows people.`);
  }
  return [siteErasureConsumer(entry, siteErasure, personErasure)];
}

function setAsideControllers(
  entry: ServiceEntry,
  pool: Pool,
  [relay]: readonly OutboxRelay[],
): readonly Type[] {
  if (entry.hasOutbox !== (relay !== undefined)) {
    throw new Error(`The catalogue is wrong about whether ${entry.name} has an outbox.`);
  }
  if (relay === undefined) return [];
  return [setAsideConsumer(setAsideOperationsOf(entry), { service: entry.name, pool, relay })];
}

function kept<T>(list: T[], one: T): T {
  list.push(one);
  return one;
}
