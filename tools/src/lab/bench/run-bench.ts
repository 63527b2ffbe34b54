import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { REPOSITORY_ROOT } from '@truetally/processes';
import { type Area, AREAS, type BenchContext } from './areas.js';
import { startScript } from './measure.js';
import { startProductStack } from './product-stack.js';
import { conditions, type Row, table, tell } from './report.js';
import type { Durations } from './scenarios.js';

const FULL: Durations = { warmUpSeconds: 5, measureSeconds: 15 };
const QUICK: Durations = { warmUpSeconds: 3, measureSeconds: 5 };
/** Without a named area. */
const USUAL = ['events', 'ledger'];

/** An area with the number that its option was given. */
interface Chosen extends Area {
  readonly number: number;
}

/**
 * `npm run bench`: starts the product, measures areas and their floors (docs/benchmarks.md), prints the table and adds
 * it to the day's runs. Each option names an area (`AREAS`); `--quick` measures shorter and stores nothing.
 */
export async function runBench(parameters: readonly string[]): Promise<number> {
  const { isQuick, chosen } = chosenBy(parameters);
  const machine = conditions();
  const rows = await measured(chosen, isQuick);
  const text = `${machine}\n\n${table(rows)}`;
  console.log(text);
  const titles = chosen.map(({ title }) => title).join(' and ');
  if (!isQuick) tell(join(REPOSITORY_ROOT, 'docs', 'benchmarks'), titles, text);
  return 0;
}

/** Areas on the product share one, which is started for the first of them. */
async function measured(chosen: readonly Chosen[], isQuick: boolean): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { alone, number } of chosen) rows.push(...((await alone?.(isQuick, number)) ?? []));
  if (chosen.every((area) => area.rows === undefined)) return rows;
  const stack = await startProductStack();
  const echo = await startScript('./echo.js');
  const context: Omit<BenchContext, 'count'> = { stack, echo, durations: isQuick ? QUICK : FULL, isQuick };
  try {
    for (const { rows: measure, number } of chosen) {
      rows.push(...((await measure?.({ ...context, count: number })) ?? []));
    }
    return rows;
  } finally {
    echo.process.kill('SIGTERM');
    await stack.stop();
  }
}

/** @throws Error for an unknown option, and for a number that is missing or of no use */
export function chosenBy(parameters: readonly string[]): {
  readonly isQuick: boolean;
  readonly chosen: readonly Chosen[];
} {
  const options: Record<string, { readonly type: 'boolean' | 'string' }> = { quick: { type: 'boolean' } };
  for (const [name, { count }] of Object.entries(AREAS)) {
    options[name] = { type: count === 'needed' ? 'string' : 'boolean' };
  }
  const { values, positionals } = parseArgs({ args: [...parameters], allowPositionals: true, options });
  const named = Object.keys(AREAS).filter((name) => values[name] !== undefined);
  const [given, ...others] = positionals;
  const isTaken = named.some((name) => typeof AREAS[name]?.count === 'number');
  if (others.length > 0 || (given !== undefined && !isTaken)) {
    throw new Error('Only --publisher and --reports take a number of their own.');
  }
  const chosen = (named.length === 0 ? USUAL : named).flatMap((name) => {
    const area = AREAS[name];
    return area === undefined ? [] : [{ ...area, number: numberOf(name, area, values[name], given) }];
  });
  return { isQuick: values['quick'] === true, chosen };
}

function numberOf(
  name: string,
  { count }: Area,
  value: boolean | string | undefined,
  given: string | undefined,
): number {
  if (count === undefined) return 0;
  const number = Number(count === 'needed' ? value : (given ?? count));
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`--${name} takes a whole number above 0.`);
}
