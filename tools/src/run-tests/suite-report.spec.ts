import { describe, expect, it } from '@jest/globals';
import { describeRun } from './suite-report.js';

describe('the table after a test run', () => {
  const suites = Array.from({ length: 30 }, (_, index) => [`suite-${index}`, 30 - index] as const);

  it('names the longest suites, sums up the others, and counts starts of processes by kind', () => {
    const starts = new Map([
      ['gateway', 2],
      ['management', 3],
      ['Kafka', 4],
      ['Postgres', 5],
      ['oidc', 6],
    ]);
    const lines = describeRun(Object.fromEntries(suites), 61.25, starts);
    expect(lines).toContain('    30.0  suite-0');
    expect(lines).toContain('     6.0  suite-24');
    expect(lines).toContain('    15.0  5 others');
    expect(lines).toContain('    61.3  elapsed; 465 of all suites together');
    expect(lines.slice(-3)).toEqual(['starts of services: 5', 'starts of Kafka: 4', 'starts of Postgres: 5']);
  });

  it('the table after a test run has no line for others if every suite is shown', () => {
    expect(describeRun({ one: 1 }, 2, new Map()).filter((line) => line.includes('others'))).toEqual([]);
  });
});
