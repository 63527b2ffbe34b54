import { describe, expect, it } from '@jest/globals';
import { FAILURES } from './http/index.js';
import { TOPICS, type TopicSpec } from './topics.js';

describe('topics', () => {
  const topics: readonly TopicSpec[] = Object.values(TOPICS);

  it('have names of their own that Kafka takes', () => {
    expect(new Set(topics.map(({ name }) => name)).size).toBe(topics.length);
    for (const { name } of topics) expect(name).toMatch(/^[a-z0-9.-]{1,200}$/);
  });

  it('carry facts under a version, and keep the compacted ones for ever', () => {
    const facts = [
      TOPICS.sites,
      TOPICS.credentials,
      TOPICS.members,
      TOPICS.campaigns,
      TOPICS.eventsStored,
      TOPICS.touchesRecorded,
      TOPICS.conversionsRecorded,
      TOPICS.ledgerSealed,
      TOPICS.deadLetters,
    ];
    for (const fact of facts) {
      expect(fact.name).toMatch(/\.v\d+$/);
    }
    for (const { config } of [TOPICS.sites, TOPICS.credentials, TOPICS.members, TOPICS.campaigns]) {
      expect(config['cleanup.policy']).toBe('compact');
      expect(Object.keys(config)).not.toContain('retention.ms');
    }
  });
});

describe('failures (interface page, section 1)', () => {
  it('map every code to its status', () => {
    const statuses = Object.fromEntries(
      Object.entries(FAILURES).map(([name, rule]) => [name, [rule.status, rule.code]]),
    );
    expect(statuses).toEqual({
      VALIDATION_ERROR: [400, 'VALIDATION_ERROR'],
      BAD_REQUEST: [400, 'BAD_REQUEST'],
      UNAUTHORIZED: [401, 'UNAUTHORIZED'],
      FORBIDDEN: [403, 'FORBIDDEN'],
      NOT_FOUND: [404, 'NOT_FOUND'],
      CONFLICT: [409, 'CONFLICT'],
      RATE_LIMIT_EXCEEDED: [429, 'RATE_LIMIT_EXCEEDED'],
      INTERNAL_ERROR: [500, 'INTERNAL_ERROR'],
      UNAVAILABLE: [503, 'INTERNAL_ERROR'],
    });
  });

  it('tell a client to try again (section 7.4 of the specification) only after 429 and 5xx', () => {
    for (const { status, retryable } of Object.values(FAILURES)) {
      expect(retryable).toBe(status === 429 || status >= 500);
    }
  });
});
