import { flushCompileCache } from 'node:module';
import type { TopicSpec } from '@truetally/contracts/topics';
import { runUntilSignal } from '@truetally/platform';
import { openProcessContext, type ProcessContext, type ProcessContextOptions } from './process-context.js';

/** A process and how its parts are constructed. */
export interface ProcessOptions extends ProcessContextOptions {
  /** Constructs the parts of the process. Nothing is connected yet. */
  readonly build: (context: ProcessContext) => ProcessParts | Promise<ProcessParts>;
}

/** The parts of a process, by the phases of its life. */
export interface ProcessParts {
  /** Topics that must exist before it starts. */
  readonly topics: readonly TopicSpec[];
  /** Runs when Kafka and the topics are ready. When it resolves, the process is ready. */
  start(): Promise<void>;
  /** Accepts no new work, and completes the work in progress. */
  drain(): Promise<void>;
  /** Then runs while the Kafka connections close: hands over what is left. */
  settle?(): Promise<void>;
  /** Last: closes the connections that the other phases needed. */
  release?(): Promise<void>;
}

/**
 * Runs a process of the product from start to stop: its context, topics, its parts, readiness, and an orderly
 * stop at a signal. Resolves when it is ready.
 */
export async function runProcess({ build, ...options }: ProcessOptions): Promise<void> {
  const stopping = new AbortController();
  const context = await openProcessContext(options, stopping.signal);
  const { log, messaging, tracing, operations } = context;
  let parts: ProcessParts | undefined;

  const start = async (): Promise<void> => {
    parts = await build(context);
    await messaging.start();
    await messaging.ensureTopics(parts.topics);
    await parts.start();
    stopping.signal.throwIfAborted();
    // Where there is a cache of compiled code (`npm start`), it is written at the end otherwise: the first stop behind a build
    // took seconds on a busy machine.
    flushCompileCache();
    context.setServing(true);
  };

  /** First no new work, then the work in progress, then the connections that it needed. */
  const stop = async (): Promise<void> => {
    context.setServing(false);
    stopping.abort();
    await parts?.drain();
    // Together: with Kafka away each takes some seconds.
    await Promise.all([parts?.settle?.(), messaging.close()]);
    await Promise.all([parts?.release?.(), tracing?.close()]);
    await operations.close();
  };

  runUntilSignal({ log, timeoutMs: options.config.SHUTDOWN_TIMEOUT_MS, stop });
  try {
    await start();
  } catch (error) {
    // A stop signal while the process still waits for Kafka or Postgres is not a failure.
    if (!stopping.signal.aborted) throw error;
  }
}
