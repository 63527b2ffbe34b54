import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { MIB } from './measure.js';

/** One line of the benchmark table. */
export interface Row {
  readonly name: string;
  readonly figure: string;
  /** Ratio to the baseline of the same run, where one applies. */
  readonly ratio?: number;
  /** The target, and whether it was reached. */
  readonly target?: string;
  readonly isMet?: boolean;
}

export function inEventsPerSecond(value: number): string {
  return `${Math.round(value).toLocaleString('en')} events/s`;
}

export const inMebibytes = (bytes: number): string => `${Math.round(bytes / MIB)} MiB`;

export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ name, figure, ratio, target, isMet }) => {
    const verdict = target === undefined ? '' : `${target} ${isMet === true ? '✓' : '✗'}`;
    return `| ${name} | ${figure} | ${ratio === undefined ? '' : ratio.toFixed(2)} | ${verdict} |`;
  });
  return ['| measurement | figure | ratio to its floor | must reach |', '|---|---|---|---|', ...lines].join(
    '\n',
  );
}

/** The machine, its load and the versions: figures mean nothing without them. */
export function conditions(): string {
  const processors = cpus();
  const commit =
    git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' and local changes');
  return [
    `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown processor'}`,
    `${Math.round(totalmem() / MIB / 1_024)} GiB`,
    `Node ${process.versions.node}`,
    `load average before ${loadavg()[0]?.toFixed(2) ?? '?'}`,
    `commit ${commit}`,
  ].join(', ');
}

/** Adds a run to the page of its day. */
export function tell(folder: string, title: string, body: string): void {
  const day = new Date().toISOString().slice(0, 10);
  const file = join(folder, `${day}.md`);
  if (!existsSync(file)) writeFileSync(file, `# Benchmarks of ${day}\n`);
  appendFileSync(file, `\n## ${title}\n\n${body}\n`);
}

function git(...parameters: string[]): string {
  try {
    return execFileSync('git', parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}
