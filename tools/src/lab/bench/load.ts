import autocannon from 'autocannon';
import { type LoadJob, type LoadResult, NUMBER } from './load-job.js';
import { bodyFactory } from './payload.js';
import { hasWrk, runWrk } from './wrk.js';

const REQUEST_TIMEOUT_SECONDS = 30;
const MS_PER_SECOND = 1_000;

/**
 * Uses wrk if installed, which takes less processor time away from the product; it cannot send an exact number. Without it
 * latencies at an even rate count from the scheduled time of a request.
 */
async function run(job: LoadJob): Promise<LoadResult> {
  const { method = 'POST', withoutWrk = false } = job;
  if (job.seconds !== undefined && !withoutWrk && hasWrk()) {
    return runWrk({ ...job, seconds: job.seconds, method });
  }
  const { result, seconds } = await fire(job);
  const answered = Object.values(result.statusCodeStats ?? {}).reduce((sum, { count = 0 }) => sum + count, 0);
  const requestsPerSecond = answered / seconds;
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

/** Measured from the start to the last answer: the generator itself stops only after whole seconds. */
function fire(job: LoadJob): Promise<{ readonly result: autocannon.Result; readonly seconds: number }> {
  const nextBody = bodyFactory(job.payload);
  const nextPath = pathFactory(job);
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let answeredAt = startedAt;
    const options: autocannon.Options = {
      url: job.url,
      method: job.method ?? 'POST',
      connections: job.connections,
      timeout: REQUEST_TIMEOUT_SECONDS,
      ...(job.amount === undefined ? { duration: job.seconds ?? 10 } : { amount: job.amount }),
      ...(job.requestsPerSecond === undefined ? {} : { overallRate: job.requestsPerSecond }),
      headers: { 'content-type': 'application/json', ...job.headers },
      requests: [
        {
          setupRequest: (request) => ({
            ...request,
            path: nextPath(),
            ...(job.method === 'GET' ? {} : { body: nextBody() }),
          }),
        },
      ],
    };
    const instance = autocannon(options, (error: Error | null, result) => {
      if (error === null) resolve({ result, seconds: (answeredAt - startedAt) / MS_PER_SECOND });
      else reject(error);
    });
    instance.on('response', () => {
      answeredAt = performance.now();
    });
  });
}

function pathFactory({ url, payload }: LoadJob): () => string {
  const { pathname, search } = new URL(url);
  const pieces = `${pathname}${search}`.split(NUMBER);
  const distinct = payload.distinctRequests ?? Number.MAX_SAFE_INTEGER;
  let sequence = 0;
  return () => pieces.join(String(sequence++ % distinct));
}

const job = process.argv[2];
if (job === undefined) throw new Error('The job is missing.');
process.stdout.write(JSON.stringify(await run(JSON.parse(job) as LoadJob)));
