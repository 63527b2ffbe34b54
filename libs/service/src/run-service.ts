import 'reflect-metadata';
import { type DynamicModule, type INestMicroservice, Module, type Type } from '@nestjs/common';
import {
  jobStepTopicsOf,
  type ServiceEntry,
  setAsideTopicsOf,
  topicsOf,
} from '@truetally/contracts/services';
import { type TopicSpec, TOPICS } from '@truetally/contracts/topics';
import type { OutboxRelay, SharedReader } from '@truetally/persistence';
import { runUntilSignal } from '@truetally/platform';
import type { Pool } from 'pg';
import { type Foundation, type FoundationOptions, layFoundation } from './foundation.js';
import { openRelay } from './open-relay.js';
import { serveMessages } from './serve-messages.js';
import { setAsideConsumer } from './set-aside-consumer.js';
import { type SiteErasure, siteErasureConsumer } from './site-erasure.js';

export interface ServiceOptions extends Omit<FoundationOptions, 'service'> {
  readonly entry: ServiceEntry;
  /** Topics of other services that must exist before it starts: those that it reads or asks. */
  readonly topics?: readonly TopicSpec[];
  /** Constructs the parts of the service. Nothing is connected yet. */
  readonly build: (surroundings: Surroundings) => ServiceParts | Promise<ServiceParts>;
}

export interface Surroundings extends Foundation {
  /** Aborted as soon as the process gets a stop signal. */
  readonly stopping: AbortSignal;
  /** Creates the relay from the service's outbox to Kafka, for services that publish facts. */
  openRelay(): OutboxRelay;
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
 * Runs a service behind Kafka from start to stop: foundation, topics, consumers, readiness, and an orderly
 * stop at a signal. Resolves when it serves.
 */
export async function runService({ entry, topics = [], build, ...options }: ServiceOptions): Promise<void> {
  const foundation = await layFoundation({ service: entry.name, ...options });
  const { log, messaging, tracing, pool, operations } = foundation;
  const stopping = new AbortController();
  const relays: OutboxRelay[] = [];
  const readers: SharedReader[] = [];
  let followed: readonly { close(): Promise<void> }[] = [];
  let parts: ServiceParts | undefined;
  let service: INestMicroservice | undefined;

  const start = async (): Promise<void> => {
    parts = await build({
      ...foundation,
      stopping: stopping.signal,
      openRelay: () => kept(relays, openRelay(foundation)),
      openReader: (connections) => kept(readers, foundation.openReader(connections)),
    });
    const controllers = [...erasingControllers(entry, parts), ...setAsideControllers(entry, pool, relays)];
    const module = { module: ServiceModule, imports: [parts.module], controllers };
    await messaging.start();
    await messaging.ensureTopics([...topicsOf(entry), ...topics, TOPICS.auditRecorded]);
    relays.forEach((relay) => relay.start());
    await parts.prepare?.();
    stopping.signal.throwIfAborted();
    [service, followed] = await Promise.all([
      serveMessages(module, messaging, entry.name),
      Promise.all((parts.follow ?? []).map((follow) => follow())),
    ]);
    foundation.setServing(true);
  };

  /** First stop new work, then finish work in progress, then close the connections. */
  const stop = async (): Promise<void> => {
    foundation.setServing(false);
    stopping.abort();
    await Promise.all([service?.close(), ...followed.map((one) => one.close())]);
    await parts?.stop?.();
    // Together: without Kafka each takes some seconds. Facts that a relay has not published are still in the
    // outbox.
    await Promise.all([...relays.map((relay) => relay.stop()), messaging.close()]);
    await Promise.all([pool.end(), ...readers.map((reader) => reader.close()), tracing?.close()]);
    await operations.close();
  };

  runUntilSignal({ log, timeoutMs: options.config.SHUTDOWN_TIMEOUT_MS, stop });
  try {
    await start();
  } catch (error) {
    // A process that is stopped while it waits for Kafka or Postgres has not failed.
    if (!stopping.signal.aborted) throw error;
  }
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
  const topics = setAsideTopicsOf(entry);
  if ((topics === undefined) !== (relay === undefined)) {
    throw new Error(`The catalogue is wrong about whether ${entry.name} has an outbox.`);
  }
  if (topics === undefined || relay === undefined) return [];
  return [setAsideConsumer(topics, { service: entry.name, pool, relay })];
}

function kept<T>(list: T[], one: T): T {
  list.push(one);
  return one;
}
