import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  CAMPAIGN_RECORD,
  CREDENTIAL_RECORD,
  MEMBER_RECORD,
  RECORDED_AUDIT_FACT,
  SITE_RECORD,
  encodeStoredEvent,
  auditActor,
  memberKey,
  ASSIGNED_SESSION_FACT,
  EXPERIMENT_RECORD,
  WORKFLOW_RECORD,
  storedEventKey,
} from './index.js';
import {
  ASSIGNED_SESSION,
  CAMPAIGN,
  CREDENTIAL,
  EXPERIMENT,
  MEMBER,
  RECORDED_AUDIT,
  SITE,
  STORED_EVENT,
  WORKFLOW,
} from '../testing/records.js';

const RECORDS: readonly [string, object, (text: string) => object][] = [
  ['sites.v1', SITE, SITE_RECORD.parse],
  ['credentials.v1', CREDENTIAL, CREDENTIAL_RECORD.parse],
  ['members.v1', MEMBER, MEMBER_RECORD.parse],
  ['campaigns.v1', CAMPAIGN, CAMPAIGN_RECORD.parse],
  ['workflows.v1', WORKFLOW, WORKFLOW_RECORD.parse],
  ['audit.recorded.v1', RECORDED_AUDIT, RECORDED_AUDIT_FACT.parse],
  ['experiments.v1', EXPERIMENT, EXPERIMENT_RECORD.parse],
  ['sessions.assigned.v1', ASSIGNED_SESSION, ASSIGNED_SESSION_FACT.parse],
];

describe('facts that are read here', () => {
  it('come back as they went', () => {
    expect(SITE_RECORD.parse(SITE_RECORD.encode(SITE))).toEqual({ ok: true, value: SITE });
    expect(CREDENTIAL_RECORD.parse(CREDENTIAL_RECORD.encode(CREDENTIAL))).toEqual({
      ok: true,
      value: CREDENTIAL,
    });
    expect(MEMBER_RECORD.parse(MEMBER_RECORD.encode(MEMBER))).toEqual({ ok: true, value: MEMBER });
    expect(CAMPAIGN_RECORD.parse(CAMPAIGN_RECORD.encode(CAMPAIGN))).toEqual({ ok: true, value: CAMPAIGN });
    expect(RECORDED_AUDIT_FACT.parse(RECORDED_AUDIT_FACT.encode(RECORDED_AUDIT))).toEqual({
      ok: true,
      value: RECORDED_AUDIT,
    });
    expect(memberKey(MEMBER)).toBe('workspace:auth0|owner');
  });

  it.each(RECORDS)('facts of %s are read past fields of tomorrow', (_topic, record, parse) => {
    expect(parse(JSON.stringify({ ...record, of_tomorrow: [1] }))).toEqual({ ok: true, value: record });
  });

  it.each(RECORDS)(
    'facts of %s are refused with the name of a missing or invalid field',
    (_topic, record, parse) => {
      for (const name of Object.keys(record)) {
        const changed = parse(JSON.stringify({ ...record, [name]: [['hunter2']] }));
        expect(changed).toEqual({
          ok: false,
          error: expect.stringContaining(name),
        });
        expect(JSON.stringify(changed)).not.toContain('hunter2');
      }
    },
  );

  it.each(RECORDS)('readers of facts of %s never throw', (_topic, record, parse) => {
    const anyRecord = fc
      .tuple(fc.constantFrom(...Object.keys(record)), fc.jsonValue())
      .map(([name, value]) => JSON.stringify({ ...record, [name]: value }));
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json(), anyRecord), (text) => void parse(text)));
  });

  it('a key whose end cannot be read is not taken for one without an end', () => {
    for (const name of ['expires_at', 'revoked_at']) {
      expect(CREDENTIAL_RECORD.parse(JSON.stringify({ ...CREDENTIAL, [name]: 'soon' }))).toEqual({
        ok: false,
        error: `unreadable: ${name}`,
      });
    }
  });
});

describe('audit.recorded.v1', () => {
  it('names a user by the issuer’s subject, and a key by its prefix', () => {
    expect(auditActor({ sub: 'auth0|owner' })).toBe('auth0|owner');
    expect(auditActor({ keyPrefix: 'abcd1234' })).toBe('key:abcd1234');
  });

  it.each(['audit_id', 'workspace_id', 'resource_id'])('%s is a UUID', (name) => {
    const text = JSON.stringify({ ...RECORDED_AUDIT, [name]: 'seven' });
    expect(RECORDED_AUDIT_FACT.parse(text)).toEqual({ ok: false, error: `unreadable: ${name}` });
  });
});

describe('events.stored.v1', () => {
  it('carries the two texts as they are, digits and all', () => {
    const text = encodeStoredEvent(STORED_EVENT, '{"n":9007199254740993}', '{}');
    expect(text).toContain('"properties":{"n":9007199254740993},"context":{}}');
    expect(JSON.parse(text)).toEqual({ ...STORED_EVENT, properties: expect.anything(), context: {} });
    expect(storedEventKey(STORED_EVENT)).toBe('s:x"y');
  });
});
