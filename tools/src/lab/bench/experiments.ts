import { ExperimentBench } from './experiment-bench.js';
import type { LoadResult } from './load-job.js';
import type { ProductStack } from './product-stack.js';
import type { Row } from './report.js';
import { type Durations, expectOnly, freshPrefix } from './scenarios.js';

const CONNECTIONS = 64;
const REPEATED_SESSIONS = 10_000;
const FEW_SESSIONS = 10_000;
const MANY_SESSIONS = 10_000_000;
const QUICK_SESSIONS = 1_000_000;
const FACTS = 50_000;
const MAX_RESULTS_MS = 50;
const MAX_TIMES_FEW = 1.2;
const MAX_BEHIND_MS = 5_000;
const MS_PER_SECOND = 1_000;

/** Targets of partner experiments: assignments, results over many sessions, facts folded during queries. */
export async function experimentRows(
  stack: ProductStack,
  durations: Durations,
  isQuick: boolean,
): Promise<Row[]> {
  const bench = await ExperimentBench.open(stack);
  return [
    ...(await assignmentRows(bench, durations)),
    await foldingRow(bench),
    ...(await resultRows(bench, isQuick ? QUICK_SESSIONS : MANY_SESSIONS)),
  ];
}

async function assignmentRows(
  bench: ExperimentBench,
  { warmUpSeconds, measureSeconds }: Durations,
): Promise<Row[]> {
  await bench.assign({ seconds: warmUpSeconds, connections: CONNECTIONS });
  const first = await bench.assign({ seconds: measureSeconds, connections: CONNECTIONS });
  expectOnly(first, ['201']);
  const one = await bench.assign({ seconds: measureSeconds, connections: 1 });
  const amount = REPEATED_SESSIONS;
  const idPrefix = freshPrefix();
  const fresh = await bench.assign({ amount, connections: CONNECTIONS, idPrefix });
  const again = await bench.assign({ amount, connections: CONNECTIONS, idPrefix });
  expectOnly(again, ['200']);
  const ratio = again.requestsPerSecond / fresh.requestsPerSecond;
  return [
    {
      name: `assignments of new sessions, ${CONNECTIONS} connections`,
      figure: inRequests(first),
      target: '≥ 2,000/s',
      isMet: first.requestsPerSecond >= 2_000,
    },
    {
      name: '— p99 latency',
      figure: inLatency(first),
      target: '≤ 50 ms',
      isMet: first.latencyMs.p99 <= 50,
    },
    {
      name: 'assignments, one connection',
      figure: inLatency(one),
      target: 'p50 ≤ 8 ms',
      isMet: one.latencyMs.p50 <= 8,
    },
    {
      name: 'repeated calls against first ones',
      figure: `${inRequests(again)} against ${inRequests(fresh)}`,
      ratio,
      target: '≥ 1.00',
      isMet: ratio >= 1,
    },
  ];
}

async function foldingRow(bench: ExperimentBench): Promise<Row> {
  const { perSecond, worstAskMs, behindMs } = await bench.fold(FACTS);
  const behind = `last one known ${(behindMs / MS_PER_SECOND).toFixed(1)} s after it was told`;
  return {
    name: `${FACTS.toLocaleString('en')} facts of the ledger folded while results are asked for`,
    figure: `${Math.round(perSecond).toLocaleString('en')}/s, ${behind}, slowest answer ${Math.round(worstAskMs)} ms`,
    target: '≥ 5,000/s, ≤ 5 s behind',
    isMet: perSecond >= 5_000 && behindMs <= MAX_BEHIND_MS,
  };
}

async function resultRows(bench: ExperimentBench, many: number): Promise<Row[]> {
  const [few = Number.NaN, over = Number.NaN] = await bench.askOver([FEW_SESSIONS, many]);
  const ratio = over / few;
  return [
    {
      name: `results over ${many.toLocaleString('en')} sessions`,
      figure: `${over.toFixed(1)} ms`,
      target: `≤ ${MAX_RESULTS_MS} ms`,
      isMet: over <= MAX_RESULTS_MS,
    },
    {
      name: `— against ${FEW_SESSIONS.toLocaleString('en')} sessions`,
      figure: `${few.toFixed(1)} ms`,
      ratio,
      target: `≤ ${MAX_TIMES_FEW.toFixed(2)}`,
      isMet: ratio <= MAX_TIMES_FEW,
    },
  ];
}

const inRequests = ({ requestsPerSecond }: LoadResult): string =>
  `${Math.round(requestsPerSecond).toLocaleString('en')}/s`;
const inLatency = ({ latencyMs }: LoadResult): string => `p50 ${latencyMs.p50} ms, p99 ${latencyMs.p99} ms`;
