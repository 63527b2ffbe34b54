import { describe, expect, it } from '@jest/globals';
import { neededServers } from './needed-servers.js';

describe('the servers of a test run', () => {
  it.each([
    [[], true, true],
    [['apps/gateway'], true, true],
    [['apps/gateway', '--selectProjects', 'pure'], false, false],
    [['--selectProjects', 'pure', 'stored', '--json'], false, true],
    [['--selectProjects', 'stored', 'product'], true, true],
    [['--selectProjects', 'unknown'], true, true],
  ])('Jest with the arguments %j needs Kafka: %s, Postgres: %s', (jestArguments, kafka, postgres) => {
    expect(neededServers(jestArguments)).toEqual({ kafka, postgres });
  });
});
