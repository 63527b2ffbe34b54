import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  encodeCampaignRecord,
  encodeCredentialRecord,
  encodeMemberRecord,
  encodeRecordedAudit,
  encodeSiteRecord,
  encodeStoredEvent,
  auditActor,
  memberKey,
  parseAssignedSession,
  parseCampaignRecord,
  parseCredentialRecord,
  parseExperimentRecord,
  parseMemberRecord,
  parseRecordedAudit,
  parseSiteRecord,
  parseWorkflowRecord,
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
  ['sites.v1', SITE, parseSiteRecord],
  ['credentials.v1', CREDENTIAL, parseCredentialRecord],
  ['members.v1', MEMBER, parseMemberRecord],
  ['campaigns.v1', CAMPAIGN, parseCampaignRecord],
  ['workflows.v1', WORKFLOW, parseWorkflowRecord],
  ['audit.recorded.v1', RECORDED_AUDIT, parseRecordedAudit],
  ['experiments.v1', EXPERIMENT, parseExperimentRecord],
  ['sessions.assigned.v1', ASSIGNED_SESSION, parseAssignedSession],
];

describe('facts that are read here', () => {
  it('come back as they went', () => {
    expect(parseSiteRecord(encodeSiteRecord(SITE))).toEqual({ ok: true, value: SITE });
    expect(parseCredentialRecord(encodeCredentialRecord(CREDENTIAL))).toEqual({
      ok: true,
      value: CREDENTIAL,
    });
    expect(parseMemberRecord(encodeMemberRecord(MEMBER))).toEqual({ ok: true, value: MEMBER });
    expect(parseCampaignRecord(encodeCampaignRecord(CAMPAIGN))).toEqual({ ok: true, value: CAMPAIGN });
    expect(parseRecordedAudit(encodeRecordedAudit(RECORDED_AUDIT))).toEqual({
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
      expect(parseCredentialRecord(JSON.stringify({ ...CREDENTIAL, [name]: 'soon' }))).toEqual({
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
    expect(parseRecordedAudit(text)).toEqual({ ok: false, error: `unreadable: ${name}` });
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
