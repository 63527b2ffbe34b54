import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { MIB } from './measure.js';

/** One line of the benchmark table. */
export interface Row {
  readonly name: string;
  readonly figure: string;
  /** Against the floor of the same run, where one applies. */
  readonly ratio?: number;
  /** What the product must reach, and whether it did. */
  readonly target?: string;
  readonly isMet?: boolean;
}

const HEADING = `# Benchmarks

Every run of \`npm run bench\` appends a table. Machines differ and are noisy: the ratios to the floors measured in the
same run count, not the figures. Floors: *echo* is a bare \`node:http\` server that parses the body; *raw insert* is a plain
multi-row insert into a copy of the events table.
`;

export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ name, figure, ratio, target, isMet }) => {
    const verdict = target === undefined ? '' : `${target} ${isMet === true ? '✓' : '✗'}`;
    return `| ${name} | ${figure} | ${ratio === undefined ? '' : ratio.toFixed(2)} | ${verdict} |`;
  });
  return ['| measurement | figure | ratio to its floor | must reach |', '|---|---|---|---|', ...lines].join(
    '\n',
  );
}

/** The machine, the versions and how busy it was: without them a figure says nothing. */
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

export function append(file: string, title: string, when: string, body: string): void {
  if (!existsSync(file)) writeFileSync(file, HEADING);
  appendFileSync(file, `\n## ${when}: ${title}\n\n${body}\n`);
}

function git(...parameters: string[]): string {
  try {
    return execFileSync('git', parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}
