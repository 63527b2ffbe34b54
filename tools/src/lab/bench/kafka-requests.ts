import { readMetrics } from './measure.js';
import type { Row } from './report.js';

/** Requests to Kafka by kind and process. */
type Counts = Readonly<Record<string, number>>;

const MS_PER_SECOND = 1_000;
const LEAST_PER_SECOND = 0.5;
const LINE = /^truetally_kafka_requests_total\{[^}]*api="(produce|fetch)"[^}]*\} (\d+)$/gm;
/** Storing transactions, and the events of all of them. */
const STORED = /^truetally_ingestion_transaction_events_(count|sum)\{[^}]*\} (\d+)$/gm;

/** What each process asks of Kafka while `work` runs: its rates show how well messages share requests. */
export async function kafkaRequests<T>(
  operations: Readonly<Record<string, number>>,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly requests: Row }> {
  const before = await countsOf(operations);
  const startedMs = performance.now();
  const result = await work();
  const seconds = (performance.now() - startedMs) / MS_PER_SECOND;
  const after = await countsOf(operations);
  const rates = ['produce', 'fetch'].map((api) => {
    const each = Object.keys(operations)
      .map((name) => {
        const key = `${name} ${api}`;
        return { name, perSecond: ((after[key] ?? 0) - (before[key] ?? 0)) / seconds };
      })
      .sort((one, other) => other.perSecond - one.perSecond);
    const sum = each.reduce((all, { perSecond }) => all + perSecond, 0);
    const parts = each
      .filter(({ perSecond }) => perSecond >= LEAST_PER_SECOND)
      .map(({ name, perSecond }) => `${name} ${Math.round(perSecond)}`);
    return `${api} ${Math.round(sum)} (${parts.join(', ')})`;
  });
  const transactions = (after['stored count'] ?? 0) - (before['stored count'] ?? 0);
  if (transactions > 0) {
    const events = (after['stored sum'] ?? 0) - (before['stored sum'] ?? 0);
    const each = (events / transactions).toFixed(1);
    rates.push(`${Math.round(transactions / seconds)} storing transactions, of ${each} events each`);
  }
  return { result, requests: { name: '— requests to Kafka a second', figure: rates.join('; ') } };
}

async function countsOf(operations: Readonly<Record<string, number>>): Promise<Counts> {
  const pages = await Promise.all(
    Object.entries(operations).map(async ([name, port]) => {
      const text = await readMetrics(port);
      return [
        ...Array.from(text.matchAll(LINE), ([, api, count]) => [`${name} ${api}`, Number(count)] as const),
        ...Array.from(text.matchAll(STORED), ([, what, sum]) => [`stored ${what}`, Number(sum)] as const),
      ];
    }),
  );
  return Object.fromEntries(pages.flat());
}
