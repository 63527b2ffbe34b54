import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { REPOSITORY_ROOT } from '@truetally/processes';
import { bodyRows } from './bodies.js';
import { cellRows } from './cells.js';
import { erasureRows } from './erasure.js';
import { experimentRows } from './experiments.js';
import { ledgerRows } from './ledger.js';
import { mainRows, targetOf } from './main-job.js';
import { managementRows } from './management.js';
import { manyKeysRows } from './many-keys.js';
import { type Child, peakMemory, startScript } from './measure.js';
import { memoryRow, nodeProcesses } from './memory-rows.js';
import { type ProductStack, startProductStack } from './product-stack.js';
import { promptnessRows } from './promptness.js';
import { publisherRows } from './publisher.js';
import { append, conditions, type Row, table } from './report.js';
import type { Durations } from './scenarios.js';
import { soakRows } from './soak.js';
import { storefrontRows } from './storefront.js';
import { storedEventsRows } from './stored-events.js';
import { tracesRows } from './traces.js';

const FULL: Durations = { warmUpSeconds: 5, measureSeconds: 15 };
const QUICK: Durations = { warmUpSeconds: 3, measureSeconds: 5 };
const USUAL_CLICKS = 2_000_000;

/**
 * `npm run bench`: starts the product, measures baselines and product alternately, prints the table and
 * appends it to docs/benchmarks.md. `--quick` measures shorter and appends nothing. Other options measure one
 * part: `--stored 20000000` the cost of so many stored events, `--events` the path of an event, `--ledger`
 * the attribution ledger, `--erasure 10000000` how long other sites wait while one with so many touches is
 * erased, `--management` products, storefronts, propagation of changes and many API keys, `--experiments`
 * partner experiments, `--publisher 50000000` publisher mode with reports over so many clicks (default two
 * million), `--soak 30` whether so many minutes of steady load change anything, `--cells` what a second cell of
 * ingestion takes, `--traces` the cost of traces, `--bodies` the cost of reading the worst body. BENCH_PROTOTYPE names a folder with a bare prototype
 * (`gateway.mjs`, `ingestion.mjs`), which then runs in the same table.
 */
export async function runBench(
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      stored: { type: 'string' },
      ledger: { type: 'boolean', default: false },
      erasure: { type: 'string' },
      management: { type: 'boolean', default: false },
      experiments: { type: 'boolean', default: false },
      events: { type: 'boolean', default: false },
      publisher: { type: 'boolean', default: false },
      soak: { type: 'string' },
      cells: { type: 'boolean', default: false },
      traces: { type: 'boolean', default: false },
      bodies: { type: 'boolean', default: false },
    },
  });
  const publisherClicks = clicksOf(values.publisher, positionals);
  const durations = values.quick ? QUICK : FULL;
  const machine = conditions();
  if (values.cells) return tell(values, machine, 'two cells', await cellRows(values.quick));
  if (values.traces) return tell(values, machine, 'traces', await tracesRows(values.quick));
  if (values.bodies) return tell(values, machine, 'reading bodies', bodyRows());
  const stack = await startProductStack();
  const echo = await startScript('./echo.js');
  try {
    const wanted = { ...values, publisherClicks };
    const prototype = environment['BENCH_PROTOTYPE'];
    const { title, rows } = await measured(wanted, stack, echo, durations, prototype);
    return tell(values, machine, title, rows);
  } finally {
    echo.process.kill('SIGTERM');
    await stack.stop();
  }
}

function tell(
  { quick }: Pick<Wanted, 'quick'>,
  machine: string,
  title: string,
  rows: readonly Row[],
): number {
  const text = `${machine}\n\n${table(rows)}`;
  console.log(text);
  if (!quick) append(join(REPOSITORY_ROOT, 'docs', 'benchmarks.md'), title, today(), text);
  return 0;
}

interface Wanted {
  readonly stored?: string | undefined;
  readonly ledger: boolean;
  readonly erasure?: string | undefined;
  readonly soak?: string | undefined;
  readonly management: boolean;
  readonly experiments: boolean;
  readonly events: boolean;
  readonly publisherClicks: number | undefined;
  readonly quick: boolean;
}

async function measured(
  { stored, ledger, erasure, soak, management, experiments, events, publisherClicks, quick }: Wanted,
  stack: ProductStack,
  echo: Child,
  durations: Durations,
  prototype: string | undefined,
): Promise<{ readonly title: string; readonly rows: Row[] }> {
  if (erasure !== undefined) {
    return { title: 'the erasure of a site', rows: await erasureRows(stack, Number(erasure)) };
  }
  if (soak !== undefined) {
    return { title: 'a steady load', rows: await soakRows(stack, Number(soak)) };
  }
  if (experiments) {
    return { title: 'partner experiments', rows: await measuredExperiments(stack, durations, quick) };
  }
  if (publisherClicks !== undefined) {
    return { title: 'publisher mode', rows: await measuredPublisher(stack, durations, publisherClicks) };
  }
  if (ledger) return { title: 'the attribution ledger', rows: await measuredLedger(stack, durations) };
  if (management) return { title: 'management', rows: await measuredManagement(stack, durations) };
  if (stored !== undefined) {
    const rows = await storedEventsRows(stack, await targetOf(stack), durations, Number(stored));
    return { title: 'many stored events', rows };
  }
  const rows = await mainRows(stack, echo, durations, prototype);
  if (events) return { title: 'the main job', rows };
  return {
    title: 'the main job and the attribution ledger',
    rows: [...rows, ...(await measuredLedger(stack, durations))],
  };
}

async function measuredLedger(stack: ProductStack, durations: Durations): Promise<Row[]> {
  const { result, peaks } = await peakMemory(nodeProcesses(stack), () => ledgerRows(stack, durations));
  return [
    ...result,
    ...Object.entries(peaks).map(([name, bytes]) => memoryRow(name, bytes, 'while orders come')),
  ];
}

async function measuredExperiments(
  stack: ProductStack,
  durations: Durations,
  isQuick: boolean,
): Promise<Row[]> {
  const { result, peaks } = await peakMemory(nodeProcesses(stack), () =>
    experimentRows(stack, durations, isQuick),
  );
  return [
    ...result,
    ...Object.entries(peaks)
      .filter(([name]) => ['gateway', 'experiments'].includes(name))
      .map(([name, bytes]) => memoryRow(name, bytes, 'while sessions are assigned and facts folded')),
  ];
}

async function measuredPublisher(stack: ProductStack, durations: Durations, clicks: number): Promise<Row[]> {
  const { result, peaks } = await peakMemory(nodeProcesses(stack), () =>
    publisherRows(stack, durations, clicks),
  );
  return [
    ...result,
    ...Object.entries(peaks)
      .filter(([name]) => ['gateway', 'publisher-analytics'].includes(name))
      .map(([name, bytes]) => memoryRow(name, bytes, 'while clicks and settlements come')),
  ];
}

/** @returns undefined when publisher mode is not measured */
function clicksOf(isWanted: boolean, [count, ...others]: readonly string[]): number | undefined {
  if (others.length > 0 || (count !== undefined && !isWanted)) {
    throw new Error('Only --publisher takes a number of its own.');
  }
  if (!isWanted) return undefined;
  const clicks = Number(count ?? USUAL_CLICKS);
  if (!Number.isInteger(clicks) || clicks < 1) throw new Error('--publisher takes a whole number of clicks.');
  return clicks;
}

async function measuredManagement(stack: ProductStack, durations: Durations): Promise<Row[]> {
  const { result, peaks } = await peakMemory(nodeProcesses(stack), async () => [
    ...(await managementRows(stack, durations)),
    ...(await storefrontRows(stack, durations)),
  ]);
  return [
    ...result,
    ...(await promptnessRows(stack)),
    ...(await manyKeysRows(stack)),
    ...Object.entries(peaks)
      .filter(([name]) => ['gateway', 'management'].includes(name))
      .map(([name, bytes]) => memoryRow(name, bytes, 'while products come and are read')),
  ];
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
