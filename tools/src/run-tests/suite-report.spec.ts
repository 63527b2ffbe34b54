import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ManagedProcess, startsIn, STARTS_VARIABLE } from '@truetally/processes';
import { describeRun, MOST_SERVICE_STARTS, tooManyStarts } from './suite-report.js';

describe('the table after a test run', () => {
  const suites = Array.from(
    { length: 50 },
    (_, index) => [`tools/suite-${index}`, { seconds: 50 - index, processors: 100 - index }] as const,
  );

  it('names the dearest suites with the servers that each started, and sums up the others', () => {
    const starts = new Map([
      ['shared', new Map([['services together', 1]])],
      [
        'tools+suite-0',
        new Map([
          ['gateway', 2],
          ['management', 3],
          ['Kafka', 4],
          ['Postgres', 5],
          ['oidc', 6],
        ]),
      ],
      [
        'tools+suite-45',
        new Map([
          ['ingestion', 7],
          ['Kafka', 1],
        ]),
      ],
    ]);
    const lines = describeRun(Object.fromEntries(suites), 61.25, starts);
    expect(lines[2]).toBe('      100.0       50.0          5          4          5  tools/suite-0');
    expect(lines).toContain('       61.0       11.0                                   tools/suite-39');
    expect(lines).toContain('      555.0       55.0          7          1             10 others');
    expect(lines).toContain(
      '     3775.0       61.3                                   all; 1275 s one after another',
    );
    expect(lines.slice(-3)).toEqual([
      'starts of services: 13',
      'starts of Kafka: 5',
      'starts of Postgres: 5',
    ]);
  });

  it('the table after a test run has no line for others if every suite is shown', () => {
    expect(
      describeRun({ one: { seconds: 1, processors: 1 } }, 2, new Map()).filter((line) =>
        line.includes('others'),
      ),
    ).toEqual([]);
  });
});

describe('the limit on starts of services', () => {
  it('a run that starts more services than the limit fails, and is told which suites start most', () => {
    const starts = (services: number) =>
      new Map([
        ['few', new Map([['gateway', 1]])],
        ['many', new Map([['experiments', services]])],
      ]);
    expect(tooManyStarts(starts(MOST_SERVICE_STARTS - 1))).toBeUndefined();
    expect(tooManyStarts(starts(MOST_SERVICE_STARTS))?.message).toBe(
      `The run started ${MOST_SERVICE_STARTS + 1} services and may start ${MOST_SERVICE_STARTS}: ` +
        `many ${MOST_SERVICE_STARTS}, few 1.`,
    );
  });

  it('processes that a suite starts are counted in a file of that suite', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'truetally-starts-'));
    const before = process.env[STARTS_VARIABLE];
    expect(before).toMatch(/tools\+src\+run-tests\+suite-report\.spec\.ts$/);
    try {
      process.env[STARTS_VARIABLE] = join(folder, 'a suite');
      for (const name of ['gateway', 'gateway', 'Kafka']) {
        const started = await ManagedProcess.start({ name, command: 'true', args: [], env: {} });
        await started.exited;
      }
    } finally {
      process.env[STARTS_VARIABLE] = before;
    }
    const counts = [...startsIn(folder)].map(([suite, starts]) => [suite, Object.fromEntries(starts)]);
    expect(counts).toEqual([['a suite', { gateway: 2, Kafka: 1 }]]);
    rmSync(folder, { recursive: true });
  });
});
