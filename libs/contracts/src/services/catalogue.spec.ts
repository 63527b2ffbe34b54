import { describe, expect, it } from '@jest/globals';
import { COMMAND_AGE_LIMIT_DAYS, DAY_MS, REMEMBERED_DAYS } from '@truetally/kernel';
import {
  accessOf,
  ALL_TOPICS,
  JOB_STEPS,
  OPERATIONS,
  REPEATED_TOPICS,
  requestTopicsOf,
  SERVICES,
} from './index.js';
import { TOPICS } from '../topics.js';

describe('the service catalogue', () => {
  const facts = SERVICES.flatMap((service) => Object.values(service.facts));

  it('gives every topic a unique name that Kafka accepts', () => {
    expect(new Set(ALL_TOPICS.map(({ name }) => name)).size).toBe(ALL_TOPICS.length);
    for (const { name } of ALL_TOPICS) expect(name).toMatch(/^[a-z0-9.-]{1,200}$/);
  });

  it('keeps requests no longer than their outcomes are remembered (docs/decisions/redelivery.md)', () => {
    for (const { config } of SERVICES.flatMap(requestTopicsOf)) {
      const keptMs = Number(config?.['retention.ms']) + Number(config?.['segment.ms']);
      expect(keptMs).toBe(COMMAND_AGE_LIMIT_DAYS * DAY_MS);
      expect(keptMs).toBeLessThan(REMEMBERED_DAYS * DAY_MS);
    }
  });

  it('lets the broker stamp queries, and nothing else', () => {
    for (const { name, config } of SERVICES.flatMap(requestTopicsOf)) {
      const isQuery =
        /\.(queries$|read|run-job-step|run-settlement-step|run-verification-step|run-replay-step|run-feed-step|begin-feed-run|store-feed-rows)/.test(
          name,
        );
      expect([name, config?.['message.timestamp.type']]).toEqual([
        name,
        isQuery ? 'LogAppendTime' : undefined,
      ]);
    }
  });

  it('the service catalogue gives each operation an address by its service, its kind and its key', () => {
    const keys = SERVICES.flatMap(({ operations }) => Object.keys(operations));
    expect(Object.keys(OPERATIONS).toSorted()).toEqual(keys.toSorted());
    expect(OPERATIONS.createSite.address).toBe('management.commands/create-site');
    expect(OPERATIONS.readPublisherReport.address).toBe('publisher-analytics.queries/read-publisher-report');
    expect(OPERATIONS.trackEvent.address).toBe('ingestion.track-event');
    for (const [key, { kind }] of Object.entries(OPERATIONS)) {
      const isQuery =
        /^(list|read|report|plan|find|reconcile|runSettlementStep|runVerificationStep|runReplayStep|runFeedStep|beginFeedRun|storeFeedRows)/.test(
          key,
        );
      expect([key, kind]).toEqual([key, isQuery ? 'query' : 'command']);
    }
  });

  it('the service catalogue calls no two topics and no two operations by one key', () => {
    const keys = SERVICES.flatMap(({ operations, facts: published }) => [
      ...Object.keys(operations),
      ...Object.keys(published),
    ]);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('the name of every request topic begins with its service', () => {
    for (const service of SERVICES) {
      for (const topic of requestTopicsOf(service))
        expect(topic.name.startsWith(`${service.name}.`)).toBe(true);
    }
  });

  it('carries facts under a version, and keeps the compacted ones for ever', () => {
    for (const { name, config } of facts) {
      expect(name).toMatch(/\.v\d+$/);
      if (config?.['cleanup.policy'] !== 'compact') continue;
      expect(Object.keys(config)).not.toContain('retention.ms');
    }
    for (const { config } of [TOPICS.sites, TOPICS.credentials, TOPICS.members, TOPICS.campaigns]) {
      expect(config['cleanup.policy']).toBe('compact');
    }
  });

  it('keeps for ever only the newest state of each key, and hashes: everything else is erased by its age', () => {
    const kept = ALL_TOPICS.filter(({ config }) => config?.['retention.ms'] === '-1');
    expect(kept.map(({ name }) => name)).toEqual(['ledger.sealed.v1']);
  });

  it('asks each service with data of sites to erase it, and no other', () => {
    const asked = SERVICES.filter(({ isAskedToEraseSites }) => isAskedToEraseSites);
    expect(JOB_STEPS.map(({ address }) => address)).toEqual(asked.map(({ name }) => `${name}.run-job-step`));
    expect(asked.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['ingestion', 'attribution-ledger']),
    );
  });

  it('each request that changes something is read again after a restore, or the catalogue says why not', () => {
    const repeated = REPEATED_TOPICS.map(({ name }) => name);
    expect(new Set(repeated).size).toBe(repeated.length);
    const others = SERVICES.flatMap(requestTopicsOf)
      .filter(({ config }) => config?.['message.timestamp.type'] === undefined)
      .map(({ name }) => name)
      .filter((name) => !repeated.includes(name) && !name.endsWith('.commands'));
    // docs/operations/restore.md: changes of management, and assignments, which return from their facts.
    expect(others.toSorted()).toEqual([
      'experiments.assign-session',
      'management.create-media',
      'management.record-sync',
      'management.record-workflow-outcome',
      'management.run-job',
    ]);
    for (const { follows } of SERVICES.map((service) => accessOf(service)))
      expect(repeated).toEqual(expect.arrayContaining(follows.map(({ name }) => name)));
  });

  it('gives every service its own port', () => {
    const ports = SERVICES.map(({ localOperationsPort }) => localOperationsPort);
    expect(new Set(ports).size).toBe(ports.length);
  });
});
