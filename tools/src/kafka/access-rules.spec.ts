import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { JOB_STEPS, SERVICE_NAMES } from '@truetally/contracts/services';
import { TOPICS } from '@truetally/contracts/topics';
import { REPOSITORY_ROOT } from '@truetally/testing';
import { FORMATS } from './access-formats.js';
import { accessRules, USUAL_NAMES } from './access-rules.js';

const RULES = accessRules(USUAL_NAMES);
const repository = (...path: readonly string[]): string =>
  readFileSync(join(REPOSITORY_ROOT, ...path), 'utf8');

/** The services that may do it, by a rule for the name or for a prefix of it. */
const whoMay = (operation: string, topic: string): readonly string[] =>
  [
    ...new Set(
      RULES.filter((rule) => rule.resource === 'topic' && rule.operation === operation)
        .filter(({ name, isPrefix }) => (isPrefix ? topic.startsWith(name) : topic === name))
        .map(({ user }) => user.slice(USUAL_NAMES.userPrefix.length)),
    ),
  ].toSorted();

describe('permissions of each service in Kafka', () => {
  it.each([TOPICS.credentials, TOPICS.members, TOPICS.sites, TOPICS.campaigns])(
    '$name is written by management alone',
    ({ name }) => {
      expect(whoMay('Write', name)).toEqual(['management']);
    },
  );

  it('facts are written by their publisher, and by management, which replays dead letters', () => {
    expect(whoMay('Write', TOPICS.eventsStored.name)).toEqual(['ingestion', 'management']);
    expect(whoMay('Write', TOPICS.conversionsRecorded.name)).toEqual(['attribution-ledger', 'management']);
    expect(whoMay('Write', TOPICS.experiments.name)).toEqual(['experiments']);
  });

  it('a request is asked by the gateway, read by its service, and replayed by management', () => {
    expect(whoMay('Write', TOPICS.recordConversion.name)).toEqual(['gateway', 'management']);
    expect(whoMay('Read', TOPICS.recordConversion.name)).toEqual(['attribution-ledger', 'management']);
    expect(whoMay('Write', TOPICS.readIntegrationAccess.name)).toEqual(['management', 'publisher-analytics']);
  });

  it('what only services ask of each other is on no topic that the gateway writes to', () => {
    expect(whoMay('Write', 'management.commands')).toEqual(['gateway', 'management']);
    expect(whoMay('Write', 'experiments.commands')).toEqual(['experiments', 'gateway', 'management']);
    expect(whoMay('Write', 'experiments.queries')).toEqual(['gateway', 'management']);
    expect(whoMay('Read', 'experiments.queries')).toEqual(['experiments', 'management']);
    for (const { address } of JOB_STEPS) expect(whoMay('Write', address)).toEqual(['management']);
  });

  it('replies are read by the asking service', () => {
    expect(whoMay('Read', 'replies.gateway-7d9f')).toEqual(['gateway']);
    expect(whoMay('Read', 'replies.management-0')).toEqual(['management']);
    expect(whoMay('Write', 'replies.gateway-7d9f')).toEqual(
      SERVICE_NAMES.filter((name) => name !== 'gateway').toSorted(),
    );
  });

  it('no rule covers every resource', () => {
    expect(RULES.filter(({ name }) => name === '' || name === '*')).toEqual([]);
  });

  it('rules stand in the chart and on the page as the programs print them', () => {
    expect(repository('k8s', 'chart', 'kafka-users.yaml')).toBe(FORMATS.strimzi(RULES));
    expect(repository('docs', 'operations', 'kafka-security.md')).toContain(FORMATS.table(RULES));
  });

  it('the permissions in Kafka are available as commands of Kafka’s own tool, too', () => {
    const lines = FORMATS.commands(RULES).trimEnd().split('\n');
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines).toContainEqual(
      expect.stringContaining(
        "--allow-principal 'User:truetally-management' --operation AlterConfigs --operation Create " +
          '--operation DescribeConfigs --operation Read --operation Write --topic',
      ),
    );
  });
});
