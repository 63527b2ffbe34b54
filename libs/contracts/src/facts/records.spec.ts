import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type CredentialRecord,
  encodeCredentialRecord,
  encodeSiteRecord,
  encodeStoredEvent,
  parseCredentialRecord,
  parseSiteRecord,
  type SiteRecord,
  storedEventKey,
} from '../index.js';

const SITE: SiteRecord = {
  site_id: 'site',
  workspace_id: 'workspace',
  name: 'Shop',
  domain: 'shop.example',
  allowed_origins: ['https://shop.example'],
  suspended: false,
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  publisher_mode: 'active',
  partner: { providers: ['awin'], touch_limit: 20 },
  runtime_hourly_limit: 100_000,
  version: 3,
};
const CREDENTIAL: CredentialRecord = {
  key_id: 'key',
  site_id: 'site',
  workspace_id: 'workspace',
  prefix: 'abcd1234',
  hash: 'a'.repeat(64),
  scopes: ['events:write', 'of:tomorrow'],
  hourly_limit: 1000,
  limit_id: 'limit',
  expires_at: '2026-01-31T09:30:00.000Z',
  revoked_at: null,
};
const RECORDS: readonly [string, object, (text: string) => object][] = [
  ['sites.v1', SITE, parseSiteRecord],
  ['credentials.v1', CREDENTIAL, parseCredentialRecord],
];

describe('compacted facts', () => {
  it('come back as they went', () => {
    expect(parseSiteRecord(encodeSiteRecord(SITE))).toEqual({ ok: true, value: SITE });
    expect(parseCredentialRecord(encodeCredentialRecord(CREDENTIAL))).toEqual({
      ok: true,
      value: CREDENTIAL,
    });
  });

  it.each(RECORDS)('of %s are read past fields of tomorrow', (_topic, record, parse) => {
    expect(parse(JSON.stringify({ ...record, of_tomorrow: [1] }))).toEqual({ ok: true, value: record });
  });

  it.each(RECORDS)(
    'of %s are refused by the name of what is missing or of another kind',
    (_topic, record, parse) => {
      for (const name of Object.keys(record)) {
        const changed = parse(JSON.stringify({ ...record, [name]: { secret: 'hunter2' } }));
        expect(changed).toEqual({
          ok: false,
          error: expect.stringContaining(name === 'partner' ? 'providers' : name),
        });
        expect(JSON.stringify(changed)).not.toContain('hunter2');
      }
    },
  );

  it.each(RECORDS)('of %s never throw', (_topic, record, parse) => {
    const anyRecord = fc
      .tuple(fc.constantFrom(...Object.keys(record)), fc.jsonValue())
      .map(([name, value]) => JSON.stringify({ ...record, [name]: value }));
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json(), anyRecord), (text) => void parse(text)));
  });

  it('do not take a key whose end cannot be read for one without an end', () => {
    for (const name of ['expires_at', 'revoked_at']) {
      expect(parseCredentialRecord(JSON.stringify({ ...CREDENTIAL, [name]: 'soon' }))).toEqual({
        ok: false,
        error: `unreadable: ${name}`,
      });
    }
  });
});

describe('events.stored.v1', () => {
  it('carries the two texts as they are, digits and all', () => {
    const event = {
      event_id: 'e',
      site_id: 's',
      event_type: 'page_view',
      session_id: 'x"y',
      user_id: null,
      device_id: 'd',
      client_event_id: null,
      occurred_at: '2026-01-31T09:30:00.123456Z',
      received_at: '2026-01-31T09:30:01.000Z',
      trust: 'browser',
      is_bot: false,
      request_id: 'request-1',
    } as const;
    const text = encodeStoredEvent(event, '{"n":9007199254740993}', '{}');
    expect(text).toContain('"properties":{"n":9007199254740993},"context":{}}');
    expect(JSON.parse(text)).toEqual({ ...event, properties: expect.anything(), context: {} });
    expect(storedEventKey(event)).toBe('s:x"y');
  });
});
