import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import { removePostgresData, settleAll, startKafka, startPostgres } from '@truetally/processes';
import { type LaunchedProduct, launchProduct } from '@truetally/testing-product';
import { POSTGRES_USER } from '../arena.js';
import { begin } from './attacker.js';
import type { Attack } from './attacks.js';
import { measure, type Measure, MEASURES, percentile99, type Taken } from './measures.js';
import { Tenant } from './tenant.js';

/** What another merchant's p99 may become: so many times its quiet value, or this, whichever is more. */
const MOST_TIMES = 3;
const ALWAYS_FINE_MS = 50;
const QUIET_MS = 12_000;
const ATTACKED_MS = 12_000;
/** Of what the attack has begun before it is measured. */
const WARM_UP_MS = 2_000;
/** Processes that have just started compile. */
const SETTLING_MS = 8_000;
/** MiB, as in the chart (`k8s/chart/values.yaml`): the old space of a process, and the memory of its container. */
const OLD_SPACE: Readonly<Partial<Record<ServiceName, number>>> = { gateway: 384, ingestion: 384 };
const OLD_SPACE_OF_OTHERS = 192;
const CONTAINERS: Readonly<Partial<Record<ServiceName, number>>> = {
  gateway: 1_024,
  ingestion: 768,
  management: 1_024,
};
const CONTAINER_OF_OTHERS = 288;
const BYTES_PER_MEBIBYTE = 1_048_576;
const KIBIBYTES = 1_024;

type Measured = Readonly<Record<Measure, Taken>>;

/**
 * One merchant does what it is permitted, as much as it can, while another works at its usual pace; each process has the heap of the
 * manifests. Prints a row for each attack.
 * @returns whether nobody was slowed more than permitted, and nothing died
 */
export async function runNeighbour(chosen: readonly Attack[]): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'truetally-neighbour-'));
  const [kafka, postgres] = await settleAll([
    startKafka({ dataDir: join(folder, 'kafka') }),
    startPostgres({ dataDir: join(folder, 'postgres'), ...POSTGRES_USER }),
  ]);
  const oldSpaceMib = Object.fromEntries(
    SERVICE_NAMES.map((name) => [name, OLD_SPACE[name] ?? OLD_SPACE_OF_OTHERS]),
  );
  let product: LaunchedProduct | undefined;
  try {
    const stack = { kafkaBrokers: kafka.brokers, databaseUrl: postgres.url };
    product = await launchProduct({ stack, oldSpaceMib, hasFewPartitions: true });
    return await attackAll(product, chosen);
  } finally {
    await product?.stop();
    await kafka.kill();
    await postgres.stop();
    await removePostgresData(postgres.dataDir);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function attackAll(product: LaunchedProduct, attacks: readonly Attack[]): Promise<boolean> {
  const [heavy, other] = [await Tenant.open(product), await Tenant.open(product)];
  for (const { prepare } of attacks) await prepare?.(heavy);
  await measure(other, SETTLING_MS);
  const quiet = await measure(other, QUIET_MS);
  console.log(
    `| attack | ${MEASURES.map((name) => `p99 of ${name}`).join(' | ')} | most memory | what was done |`,
  );
  console.log(`|---|${MEASURES.map(() => '---|').join('')}---|---|`);
  console.log(`| none | ${MEASURES.map((name) => inMs(quiet[name])).join(' | ')} | ${memoryOf(product)} | |`);
  let isFine = true;
  for (const attack of attacks) {
    const end = begin(attack, heavy);
    await measure(other, WARM_UP_MS);
    const attacked = await measure(other, ATTACKED_MS);
    const memory = memoryOf(product);
    const done = await end();
    const cells = MEASURES.map((name) => compared(quiet[name], attacked[name]));
    console.log(`| \`${attack.name}\`: ${attack.what} | ${cells.join(' | ')} | ${memory} | ${done} |`);
    const dead = deadOf(product);
    for (const name of dead) console.log(`${attack.name}: FAILED: ${name} has ended.`);
    isFine &&= dead.length === 0 && MEASURES.every((name) => isWithin(quiet, attacked, name));
    isFine &&= tooLarge(product).length === 0;
    if (dead.length > 0) break;
    // What is left of it ends before the next one begins.
    await heavy.cancelJobs();
    await measure(other, WARM_UP_MS);
  }
  return isFine;
}

function isWithin(quiet: Measured, attacked: Measured, name: Measure): boolean {
  const most = Math.max(ALWAYS_FINE_MS, MOST_TIMES * percentile99(quiet[name].times));
  return attacked[name].failed === 0 && percentile99(attacked[name].times) <= most;
}

function inMs({ times, failed }: Taken): string {
  const figure = `${percentile99(times).toFixed(0)} ms`;
  return failed === 0 ? figure : `${figure}, ${failed} of ${times.length} failed`;
}

function compared(quiet: Taken, attacked: Taken): string {
  const times = percentile99(attacked.times) / percentile99(quiet.times);
  return `${inMs(attacked)} (× ${times.toFixed(1)})`;
}

function deadOf(product: LaunchedProduct): readonly ServiceName[] {
  return SERVICE_NAMES.filter((name) => product.processes(name).some(({ isRunning }) => !isRunning));
}

/** The share of its container's memory that each process has, the largest one. */
function sharesOf(product: LaunchedProduct): readonly (readonly [name: ServiceName, share: number])[] {
  return SERVICE_NAMES.flatMap((name) =>
    product.processes(name).map(({ pid }): readonly [ServiceName, number] => {
      const container = (CONTAINERS[name] ?? CONTAINER_OF_OTHERS) * BYTES_PER_MEBIBYTE;
      return [name, residentBytes(pid) / container];
    }),
  );
}

function tooLarge(product: LaunchedProduct): readonly ServiceName[] {
  return sharesOf(product).flatMap(([name, share]) => (share > 1 ? [name] : []));
}

function memoryOf(product: LaunchedProduct): string {
  const [largest] = sharesOf(product).toSorted(([, one], [, other]) => other - one);
  return largest === undefined ? '' : `${largest[0]}: ${(100 * largest[1]).toFixed(0)} % of its container`;
}

/** The most that the process had since its start. */
function residentBytes(pid: number): number {
  try {
    const [, kibibytes = '0'] =
      /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kibibytes) * KIBIBYTES;
  } catch {
    // It has ended.
    return 0;
  }
}
