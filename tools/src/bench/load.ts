import autocannon from 'autocannon';
import { bodyFactory, type Payload } from './payload.js';

/**
 * One measurement, in a process of its own so that the load generator's work shows as its own:
 * `node load.js '<LoadJob as JSON>'` prints a LoadResult as JSON.
 */
export interface LoadJob {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  /** Either a time or an exact number of requests. */
  readonly seconds?: number;
  readonly amount?: number;
  readonly payload: Payload;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly eventsPerSecond: number;
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Answers by status code. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly errors: number;
  readonly sent: number;
}

const REQUEST_TIMEOUT_SECONDS = 30;

async function run(job: LoadJob): Promise<LoadResult> {
  const nextBody = bodyFactory(job.payload);
  const result = await autocannon({
    url: job.url,
    method: 'POST',
    connections: job.connections,
    timeout: REQUEST_TIMEOUT_SECONDS,
    ...(job.amount === undefined ? { duration: job.seconds ?? 10 } : { amount: job.amount }),
    headers: { 'content-type': 'application/json', ...job.headers },
    requests: [{ setupRequest: (request) => ({ ...request, body: nextBody() }) }],
  });
  const answered = Object.values(result.statusCodeStats ?? {}).reduce((sum, { count = 0 }) => sum + count, 0);
  const requestsPerSecond = answered / result.duration;
  return {
    requestsPerSecond,
    eventsPerSecond: requestsPerSecond * job.payload.eventsPerRequest,
    latencyMs: { p50: result.latency.p50, p99: result.latency.p99, max: result.latency.max },
    statuses: Object.fromEntries(
      Object.entries(result.statusCodeStats ?? {}).map(([status, { count = 0 }]) => [status, count]),
    ),
    errors: result.errors,
    sent: result.requests.sent,
  };
}

const job = process.argv[2];
if (job === undefined) throw new Error('The job is missing.');
process.stdout.write(JSON.stringify(await run(JSON.parse(job) as LoadJob)));
