import { describe, expect, it } from '@jest/globals';
import { ALL_TOPICS, JOB_STEP_TOPICS, SERVICES } from './index.js';
import { TOPICS } from '../topics.js';

describe('the service catalogue', () => {
  const facts = SERVICES.flatMap((service) => Object.values(service.facts));

  it('gives every topic a name of its own that Kafka takes', () => {
    expect(new Set(ALL_TOPICS.map(({ name }) => name)).size).toBe(ALL_TOPICS.length);
    for (const { name } of ALL_TOPICS) expect(name).toMatch(/^[a-z0-9.-]{1,200}$/);
  });

  it('calls no two topics by one key', () => {
    const keys = SERVICES.flatMap(({ requests, facts: told }) => [
      ...Object.keys(requests),
      ...Object.keys(told),
    ]);
    expect(new Set(keys).size).toBe(keys.length);
    expect(Object.keys(TOPICS).sort()).toEqual(keys.sort());
  });

  it('begins the name of what a service is asked with the service', () => {
    for (const { name, requests } of SERVICES) {
      for (const topic of Object.values(requests)) expect(topic.name.startsWith(`${name}.`)).toBe(true);
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

  it('asks each service that keeps something of sites to erase it, and nobody else', () => {
    const asked = SERVICES.filter(({ isAskedToEraseSites }) => isAskedToEraseSites);
    expect(JOB_STEP_TOPICS.map(({ name }) => name)).toEqual(asked.map(({ name }) => `${name}.run-job-step`));
    expect(asked.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['ingestion', 'attribution-ledger']),
    );
  });

  it('gives every service a port of its own', () => {
    const ports = SERVICES.map(({ localOperationsPort }) => localOperationsPort);
    expect(new Set(ports).size).toBe(ports.length);
  });
});
