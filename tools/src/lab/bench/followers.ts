import pg from 'pg';
import { processorTime, times } from './processor-time.js';
import type { ProductStack } from './product-stack.js';
import type { Row } from './report.js';
import { expectOnly, send } from './scenarios.js';
import { untilAllIsSettled } from './until-settled.js';

const ROUNDS = 2;
const SECONDS = 10;
/** At fixed rates: a faster run has larger transactions, and a cheaper event. */
const LOADS = [
  { name: 'single events, 1,000 a second', events: 1, connections: 32, requestsPerSecond: 1_000 },
  { name: 'batches of 50, 5,000 events a second', events: 50, connections: 8, requestsPerSecond: 100 },
] as const;
const MOST = 1.03;

type Load = (typeof LOADS)[number];

/**
 * What storing an event costs gateway, ingestion and Postgres, without what its processes for `analytics` take, while
 * `analytics` stands still and while it follows.
 */
export async function followersRows(stack: ProductStack): Promise<Row[]> {
  const rows: Row[] = [];
  for (const load of LOADS) {
    const costs = { without: 0, following: 0 };
    // The first round warms up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const weight = round === 0 ? 0 : 1 / ROUNDS;
      costs.following += weight * (await costOf(stack, load));
      await untilAllIsSettled(stack);
      costs.without += weight * (await whileStopped(stack, () => costOf(stack, load)));
      await untilAllIsSettled(stack);
    }
    const ratio = costs.following / costs.without;
    rows.push({
      name: `storing an event, ${load.name}: with reports following, against without`,
      figure: `${costs.following.toFixed(1)} µs against ${costs.without.toFixed(1)} µs`,
      ratio,
      target: '≤ 1.03',
      isMet: ratio <= MOST,
    });
  }
  return rows;
}

async function whileStopped<T>(stack: ProductStack, work: () => Promise<T>): Promise<T> {
  const { pids } = stack.now();
  const analytics = pids['analytics'];
  if (analytics === undefined) throw new Error('The stack runs no analytics.');
  process.kill(analytics, 'SIGSTOP');
  try {
    return await work();
  } finally {
    process.kill(analytics, 'SIGCONT');
  }
}

async function costOf(
  stack: ProductStack,
  { events, connections, requestsPerSecond }: Load,
): Promise<number> {
  const { gateway = 0, ingestion = 0, postgres = 0 } = stack.now().pids;
  const before = times(await backendsOfAnalytics(stack));
  const { result, inAll } = await processorTime({ gateway, ingestion, postgres }, () =>
    send(stack, events, connections, { seconds: SECONDS, requestsPerSecond }),
  );
  expectOnly(result, ['201']);
  const after = times(await backendsOfAnalytics(stack));
  return (inAll - ofFollowing(before, after)) / (result.sent * events);
}

/** Its pool ends sessions that were idle for a while, and begins others: one that has ended took nothing meanwhile. */
function ofFollowing(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): number {
  return Object.entries(after).reduce((sum, [pid, time]) => sum + time - (before[pid] ?? 0), 0);
}

/** Postgres' processes that serve it. */
async function backendsOfAnalytics({ databaseUrl }: ProductStack): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name like 'analytics%'`,
    );
    return Object.fromEntries(rows.map(({ pid }) => [String(pid), pid]));
  } finally {
    await client.end();
  }
}
