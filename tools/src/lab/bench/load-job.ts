import type { Payload } from './payload.js';

/** Stands for the number of the request in the query of a job's URL, counted up to its payload's distinct requests. */
export const NUMBER = '{n}';

/**
 * One measurement in a separate process, so that the load generator's processor time is separate: `node
 * load.js '<LoadJob as JSON>'` prints a LoadResult as JSON.
 */
export interface LoadJob {
  /** With `NUMBER` in its query every request has another one. */
  readonly url: string;
  /** `POST` when absent. */
  readonly method?: 'GET' | 'PATCH' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  /** Either a time or an exact number of requests. */
  readonly seconds?: number;
  readonly amount?: number;
  /** Maximum requests per second, at an even rate. */
  readonly requestsPerSecond?: number;
  /** For a run beside others of its kind, each of which would take a processor for itself. */
  readonly withoutWrk?: boolean;
  readonly payload: Payload;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly eventsPerSecond: number;
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Of the requests at an even rate: those whose moment found every connection busy. Their latency begins later. */
  readonly lateShare?: number;
  /** Answers by status code. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly errors: number;
  readonly sent: number;
}
