import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKafka, startPostgres } from '@truetally/processes';
import type { Passed } from './read-way.js';
import { TRACED, type TracedName, traceWay } from './trace-way.js';

const DATABASE = { user: 'postgres', password: 'postgres', database: 'truetally' };

/** Prints the modules of one request in order. @returns the exit code of the command */
export async function runWay(parameters: readonly string[]): Promise<number> {
  const [name = ''] = parameters;
  if (!isTraced(name) || parameters.length !== 1) {
    process.stderr.write(`Say one of: npm run way -- ${Object.keys(TRACED).join(', ')}.\n`);
    return 1;
  }
  const folder = mkdtempSync(join(tmpdir(), 'truetally-way-stack-'));
  const kafka = await startKafka({ dataDir: join(folder, 'kafka') });
  try {
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), ...DATABASE });
    try {
      const stack = { kafkaBrokers: kafka.brokers, databaseUrl: postgres.url };
      process.stdout.write(describe(name, await traceWay(name, stack)));
    } finally {
      await postgres.stop();
    }
  } finally {
    await kafka.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}

function isTraced(name: string): name is TracedName {
  return name in TRACED;
}

/** A line per file, then the sums per project. */
export function describe(name: string, passed: readonly Passed[]): string {
  const lines = passed.map(({ process, file, visits, functions }, index) =>
    [
      String(index + 1).padStart(4),
      process.padEnd(10),
      `${file}${visits > 1 ? ` (${visits} visits)` : ''}`,
      functions.filter((one) => one !== '').join(', '),
    ].join('  '),
  );
  const sums = [...countsOf(passed)].map(([project, files]) => `${String(files).padStart(4)}  ${project}`);
  return [`The way of ${name}, from its first byte to its answer:`, ...lines, '', ...sums, ''].join('\n');
}

const DRIVER = 'libs/messaging/src/driver-speed';

/** Different files by project (`apps/gateway`); the faster encoding of the Kafka driver is counted apart. */
export function countsOf(passed: readonly Passed[]): ReadonlyMap<string, number> {
  const files = [...new Set(passed.map(({ file }) => file))];
  const counts = new Map<string, number>();
  for (const file of files) {
    const project = file.startsWith(DRIVER) ? DRIVER : file.split('/').slice(0, 2).join('/');
    counts.set(project, (counts.get(project) ?? 0) + 1);
  }
  return counts;
}
