import { setImmediate } from 'node:timers/promises';
import {
  describeError,
  type GivenUp,
  type KafkaSecurity,
  Messaging,
  type ReceivedFact,
  subscribe,
  type Subscription,
  TransientError,
  UnreadableError,
} from '@truetally/messaging';
import { FACT_NAMES, type FactName, type Facts, PUBLIC_TOPICS } from './facts.js';
import { EffectError, type Once } from './once.js';
import { readFact } from './read-fact.js';
import { closeOnSignals } from './close-on-signals.js';
import { WorkerMetrics } from './worker-metrics.js';

/** A fact's circumstances. */
export interface FactContext<Client> {
  /** The same each time that the fact is delivered: the key of an idempotent effect. */
  readonly id: string;
  readonly key: string;
  /**
   * Of the database that it comes from: higher after a restore, where versions start over. Of two states of a key the one
   * with the higher incarnation is newer, and with equal ones the one with the higher `version`. 0 where none is named.
   */
  readonly incarnation: number;
  /** When it was published. */
  readonly publishedAt: Date;
  /** From 1. */
  readonly attempt: number;
  /** Of the transaction in which the fact is noted; undefined for `keyed`. */
  readonly client: Client;
}

/** What is done with each kind of fact; those without a handler are not read. */
export type Handlers<Client> = {
  readonly [Name in FactName]?: (fact: Facts[Name], context: FactContext<Client>) => Promise<void>;
};

/** A message that was given up, for a callback. */
export interface DeadLetter {
  /** Without prefix. */
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly reason: string;
}

/** As pino's. */
export interface WorkerLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Which facts a worker handles, and how it reaches Kafka. */
export interface WorkerOptions<Client> {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  /** The consumer group; also in the inbox, so that it must not change. */
  readonly group: string;
  readonly once: Once<Client>;
  readonly handlers: Handlers<Client>;
  /** As `KAFKA_TOPIC_PREFIX` of the installation. */
  readonly topicPrefix?: string;
  readonly security?: KafkaSecurity;
  /** How often a failing effect is tried, with backoff from 100 ms to 1 s, before its fact is given up. Default 10. */
  readonly maxAttempts?: number;
  /**
   * Takes a fact that was given up, and is called again until it resolves. Default: the topic `<group>.dead-letters`
   * takes it, which is created where the user may.
   */
  readonly onDeadLetter?: (letter: DeadLetter) => Promise<void>;
  /** Default: silent. */
  readonly log?: WorkerLog;
  /** Whether SIGTERM and SIGINT stop it. Default true. */
  readonly closesOnSignals?: boolean;
}

/** A running worker. */
export interface Worker {
  /** In the text format of Prometheus: outcomes and lag. */
  metrics(): string;
  /** Whether Kafka answers and the worker follows its topics. */
  healthy(): boolean;
  /** Ends what is under way, commits it, and leaves the group. */
  close(): Promise<void>;
}

/** Thrown by a handler: no attempt can succeed, so that the fact is given up at once. */
export class RejectedFactError extends Error {
  override readonly name = 'RejectedFactError';
}

/** An effect has failed for good. */
class SpentFactError extends UnreadableError {
  /** In the reason of its dead letter: what was read, and failed then. */
  override readonly name = 'EffectError';

  constructor(
    readonly attempts: number,
    reason: string,
  ) {
    super(reason);
  }
}

const MAX_ATTEMPTS = 10;
const LAG_INTERVAL_MS = 15_000;
const LETTERS_KEPT_MS = 30 * 86_400_000;
const SILENT: WorkerLog = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/**
 * Starts to follow facts, from the oldest for a new group. Resolves when it reads, and
 * waits for Kafka and for Postgres until then.
 * @throws TypeError when an option is not what its description says
 */
export async function startWorker<Client>(options: WorkerOptions<Client>): Promise<Worker> {
  const names = handledFacts(options);
  const { brokers, group, log = SILENT, topicPrefix = '', security = {}, once } = options;
  const metrics = new WorkerMetrics();
  const instance = `${group}-${process.pid}`;
  const messaging = new Messaging({ brokers, clientId: group, instance, topicPrefix, log, security });
  let ending: Promise<void> | undefined;
  const end = (): Promise<void> => (ending ??= messaging.close().finally(() => forget()));
  const forget = (options.closesOnSignals ?? true) ? closeOnSignals(end) : nothing;
  try {
    // First what may fail for good: nothing is open then.
    await prepare(once, messaging);
    await messaging.start();
    if (ending !== undefined) throw new Error('Closed before it could start');
    const subscription = await subscribe(messaging, {
      group,
      topics: names.map((name) => PUBLIC_TOPICS[name].topic),
      // One at a time: an effect that fails repeats no other.
      factsPerCall: 1,
      handler: handlerOf(options, names, metrics),
      giveUp: await takerOfLetters(options, messaging, metrics),
    });
    return running({ ...options, log }, messaging, subscription, metrics);
  } catch (error) {
    await end();
    // A signal that ended it ends the process first, which no longer waits for an answer then.
    await setImmediate();
    throw error;
  } finally {
    forget();
  }
}

/** Waits for what an effect stands on, as it waits for Kafka. @throws what lasts */
async function prepare<Client>(once: Once<Client>, messaging: Messaging): Promise<void> {
  let lasting: readonly unknown[] = [];
  await messaging.untilDone('prepare the first effect', async () => {
    try {
      await once.prepare?.();
    } catch (error) {
      if (error instanceof TransientError) throw error;
      lasting = [error];
    }
  });
  for (const error of lasting) throw error;
}

/** Types say the same, where somebody checks them: a name that is misspelt would never be called. */
function handledFacts<Client>({
  brokers,
  group,
  once,
  handlers,
  maxAttempts = MAX_ATTEMPTS,
}: WorkerOptions<Client>): readonly FactName[] {
  if (!Array.isArray(brokers) || brokers.length === 0)
    throw new TypeError('brokers: at least one host:port is needed');
  if (typeof group !== 'string' || group === '') throw new TypeError('group: the name of a group is needed');
  if (typeof once?.make !== 'function') throw new TypeError('once: inbox(pool) or keyed() is needed');
  const unknown = Object.keys(handlers ?? {}).filter(
    (name) => !(FACT_NAMES as readonly string[]).includes(name),
  );
  if (unknown.length > 0)
    throw new TypeError(`handlers: ${unknown.join(', ')} is no fact; known are ${FACT_NAMES.join(', ')}`);
  const names = FACT_NAMES.filter((name) => handlers[name] !== undefined);
  if (names.length === 0)
    throw new TypeError('handlers: there is none, so that the worker has nothing to do');
  const odd = names.filter((name) => typeof handlers[name] !== 'function');
  if (odd.length > 0) throw new TypeError(`handlers: ${odd.join(', ')} must be a function`);
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1)
    throw new TypeError('maxAttempts: a whole number from 1 is needed');
  return names;
}

function running<Client>(
  { group, log, closesOnSignals = true }: WorkerOptions<Client> & { readonly log: WorkerLog },
  messaging: Messaging,
  subscription: Subscription,
  metrics: WorkerMetrics,
): Worker {
  const measure = async (): Promise<void> => {
    try {
      metrics.setLag(await messaging.lag(group));
    } catch (error) {
      log.warn({ group, error: describeError(error) }, 'the lag could not be read');
    }
  };
  const timer = setInterval(() => void measure(), LAG_INTERVAL_MS).unref();
  void measure();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      clearInterval(timer);
      await subscription.close();
      await messaging.close();
    })().finally(() => forget());
    return closing;
  };
  const forget = closesOnSignals ? closeOnSignals(close) : nothing;
  return { metrics: () => metrics.text(), healthy: () => messaging.healthy(), close };
}

function handlerOf<Client>(
  { group, handlers, once, maxAttempts = MAX_ATTEMPTS }: WorkerOptions<Client>,
  names: readonly FactName[],
  metrics: WorkerMetrics,
): (facts: readonly ReceivedFact[]) => Promise<void> {
  const byTopic = new Map(names.map((name) => [PUBLIC_TOPICS[name].topic, name]));
  /** Of the fact that is being tried: the next one comes after its end. */
  let trying = { position: '', attempts: 0 };

  const handleOne = async <Name extends FactName>(name: Name, received: ReceivedFact): Promise<void> => {
    const { topic, key, timestampMs } = received;
    const { id, incarnation, fact } = readFact(name, received);
    const handle = handlers[name];
    if (handle === undefined) return;
    const attempt = trying.attempts + 1;
    const context = { id, key, incarnation, publishedAt: new Date(timestampMs), attempt };
    const effect = (client: Client): Promise<void> => handle(fact, { ...context, client });
    try {
      metrics.count(topic, await once.make({ group, topic, id }, effect));
    } catch (error) {
      throw failureOf(error, topic, attempt);
    }
  };

  function failureOf(error: unknown, topic: string, attempt: number): Error {
    metrics.count(topic, 'failed');
    if (!(error instanceof EffectError)) return new TransientError(describeError(error), { cause: error });
    trying = { ...trying, attempts: attempt };
    const isFinal = error.cause instanceof RejectedFactError || attempt >= maxAttempts;
    const message = `attempt ${attempt}: ${describeError(error.cause)}`;
    return isFinal ? new SpentFactError(attempt, message) : new TransientError(message);
  }

  return async (facts) => {
    for (const received of facts) {
      const { topic, partition, offset } = received;
      const position = `${topic}/${partition}/${offset}`;
      if (trying.position !== position) trying = { position, attempts: 0 };
      const name = byTopic.get(topic);
      if (name !== undefined) await handleOne(name, received);
    }
  };
}

async function takerOfLetters<Client>(
  { group, onDeadLetter }: WorkerOptions<Client>,
  messaging: Messaging,
  metrics: WorkerMetrics,
): Promise<(given: GivenUp) => Promise<void>> {
  const letters = `${group}.dead-letters`;
  if (onDeadLetter === undefined) {
    const config = { 'retention.ms': String(LETTERS_KEPT_MS) };
    await messaging.ensureTopics([{ name: letters, partitions: 1, config }]);
  }
  return async (given) => {
    // Consuming knows only of the last one: the others were failures of a moment to it.
    const attempts = given.reason instanceof SpentFactError ? given.reason.attempts : given.attempts;
    if (onDeadLetter === undefined) await messaging.giveUp({ ...given, attempts }, letters);
    else await messaging.untilDone('hand over a dead letter', () => onDeadLetter(letterOf(given)));
    metrics.count(given.topic, 'dead');
  };
}

function letterOf({ topic, partition, message, reason }: GivenUp): DeadLetter {
  const { offset, key, value } = message;
  return { topic, partition, offset, key, value, reason: describeError(reason) };
}

function nothing(): void {
  // Nobody listens.
}
