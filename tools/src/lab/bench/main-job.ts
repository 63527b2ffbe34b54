import { idleRows } from './idle.js';
import { insertFloor } from './insert-floor.js';
import { type Child, MIB, treeMemory } from './measure.js';
import { withMemory } from './memory-rows.js';
import type { ProductStack } from './product-stack.js';
import { inMebibytes, type Row } from './report.js';
import * as scenarios from './scenarios.js';
import type { Durations, Floors, Target } from './scenarios.js';
import { untilAllIsDone, untilAllIsSettled } from './until-settled.js';

const MAX_IDLE_BYTES = 1_228 * MIB;
const MAX_START_SECONDS = 25;

/** The path of an event, from an empty folder to the baselines beside it. */
export async function mainRows(stack: ProductStack, echo: Child, durations: Durations): Promise<Row[]> {
  const start = startRows(stack);
  const idle = await idleRows(await targetOf(stack), durations);
  const echoFloor = await scenarios.echoFloor(echo, durations);
  const insertRowsPerSecond = await insertFloor(stack.databaseUrl, durations.measureSeconds);
  const floors = { ...echoFloor, insertRowsPerSecond };
  const product = await productRows(stack, floors, durations);
  return [...start, ...idle, ...floorRows(floors), ...product];
}

export async function targetOf(stack: ProductStack): Promise<Target> {
  const { baseUrl, apiKey } = stack;
  return {
    baseUrl,
    apiKey,
    exhaustedKey: await stack.exhaustedKey(),
    processes: () => stack.now().pids,
    operations: () => stack.now().operations,
    allIsDone: () => untilAllIsDone(stack),
    allIsSettled: () => untilAllIsSettled(stack),
  };
}

async function productRows(stack: ProductStack, floors: Floors, durations: Durations): Promise<Row[]> {
  const target = await targetOf(stack);
  return withMemory(stack, {}, async () => {
    await scenarios.warmUp(target, durations);
    const singles = await scenarios.singles(target, floors, durations);
    const alone = await scenarios.oneConnection(target, durations);
    const batches = await scenarios.batches(target, floors, durations);
    return [
      ...singles.rows,
      ...alone,
      ...batches.rows,
      ...(await scenarios.fixedRates(target, floors, durations, { singles, batches })),
      ...(await scenarios.duplicates(target)),
      ...(await scenarios.refusals(target, floors, durations)),
    ];
  });
}

function startRows(stack: ProductStack): Row[] {
  const idle = treeMemory([stack.supervisorPid]);
  return [
    {
      name: '`npm start` to ready, on an empty folder',
      figure: `${stack.startSeconds.toFixed(1)} s`,
      target: '≤ 25 s',
      isMet: stack.startSeconds <= MAX_START_SECONDS,
    },
    {
      name: 'memory of the idle stack, Kafka and Postgres included',
      figure: inMebibytes(idle),
      target: '≤ 1.2 GiB',
      isMet: idle <= MAX_IDLE_BYTES,
    },
  ];
}

function floorRows({ echoPerSecond, echoMicroseconds, insertRowsPerSecond }: Floors): Row[] {
  return [
    {
      name: 'floor: echo, 256 connections',
      figure: `${Math.round(echoPerSecond).toLocaleString('en')} requests/s, ${echoMicroseconds.toFixed(1)} µs of its process`,
    },
    { name: 'floor: raw insert', figure: `${Math.round(insertRowsPerSecond).toLocaleString('en')} rows/s` },
  ];
}
