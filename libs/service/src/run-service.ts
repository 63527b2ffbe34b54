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
  /** Topics of others that must be there before it begins: those that it reads or asks. */
  readonly topics?: readonly TopicSpec[];
  /** Makes what the service consists of. Nothing is connected yet. */
  readonly build: (surroundings: Surroundings) => ServiceParts | Promise<ServiceParts>;
}

export interface Surroundings extends Foundation {
  /** Aborted as soon as the process is told to stop. */
  readonly stopping: AbortSignal;
  /** The way of the service's facts from its outbox to Kafka, for services that tell any. */
  openRelay(): OutboxRelay;
}

/** In the order in which they are used: each thing begins when the one before it is there, and ends before it. */
export interface ServiceParts {
  /** Its consumers. */
  readonly module: DynamicModule;
  /** For whoever is asked to erase sites. */
  readonly siteErasure?: SiteErasure;
  /** When Kafka and its topics are there: what must be done before the first request. */
  readonly prepare?: () => Promise<void>;
  /** Begun with the serving of requests, and closed with it: they take no new work either. */
  readonly follow?: readonly (() => Promise<{ close(): Promise<void> }>)[];
  /** When nothing new comes any more: ends what works in the background, before its connections go. */
  readonly stop?: () => Promise<void>;
}

/**
 * A service behind Kafka, from its start to its end: foundation, topics, consumers, readiness, and at a signal a stop
 * in order. Resolves when it serves.
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

  /** First no new work, then what is under way, then the connections that it needed. */
  const stop = async (): Promise<void> => {
    foundation.setServing(false);
    stopping.abort();
    await Promise.all([service?.close(), ...followed.map((one) => one.close())]);
    await parts?.stop?.();
    // Together: with Kafka away each takes some seconds. What a relay has not published is in the outbox still.
    await Promise.all([...relays.map((relay) => relay.stop()), messaging.close()]);
    await Promise.all([pool.end(), ...readers.map((reader) => reader.close()), tracing?.close()]);
    await operations.close();
  };

  runUntilSignal({ log, timeoutMs: options.config.SHUTDOWN_TIMEOUT_MS, stop });
  try {
    await start();
  } catch (error) {
    // Whoever is told to stop while it still waits for Kafka or Postgres has not failed.
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
