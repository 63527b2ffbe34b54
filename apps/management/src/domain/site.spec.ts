import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { changedSettings, newSettings, readCreateSite, readUpdateSite } from './site.js';

const WORKSPACE = '8f14e45f-ceea-467f-a0e6-0d1b2c3d4e5f';
const SITE = '1c6a9f6e-21d4-4b35-8f0a-6f3f0f1f2a3b';
const LEAST = {
  workspace_id: WORKSPACE,
  name: 'Shop',
  domain: 'shop.example',
  allowed_origins: ['https://shop.example'],
};

function settingsOf(body: unknown) {
  const command = readCreateSite(body);
  if (!command.ok) throw new Error(JSON.stringify(command.error));
  return newSettings(command.value);
}

function problemsOf(body: unknown) {
  const command = readCreateSite(body);
  return command.ok ? {} : command.error;
}

describe('a new site (interface, section 9)', () => {
  it('needs a name, a domain and origins; everything else has a default', () => {
    expect(settingsOf(LEAST)).toEqual({
      name: 'Shop',
      domain: 'shop.example',
      allowedOrigins: ['https://shop.example'],
      currency: 'EUR',
      timezone: 'UTC',
      publisherMode: 'off',
      partner: { providers: ['awin', 'cj'], touchLimit: 20 },
      runtimeHourlyLimit: 100_000,
    });
    expect(problemsOf({})).toEqual({
      workspace_id: ['is required'],
      name: ['is required'],
      domain: ['is required'],
      allowed_origins: ['is required'],
    });
  });

  it('takes null for absent', () => {
    const body = { ...LEAST, currency: null, timezone: null, partner: null, runtime_hourly_limit: null };
    expect(settingsOf(body)).toEqual(settingsOf(LEAST));
    expect(problemsOf({ ...LEAST, name: null })).toEqual({ name: ['is required'] });
  });

  it('names every broken rule at once, by path', () => {
    const body = {
      workspace_id: 'mine',
      name: '',
      domain: 'https://shop.example',
      allowed_origins: ['https://shop.example', 'https://shop.example/', 7],
      currency: 'eur',
      timezone: '+01:00',
      publisher_mode: 'on',
      partner: { providers: ['awin', 'Awin'], touch_limit: 21 },
      runtime_hourly_limit: 1.5,
      colour: 'red',
    };
    const origin =
      'must be an exact origin such as https://shop.example: http or https, no path, no wildcard';
    expect(problemsOf(body)).toEqual({
      workspace_id: ['must be a UUID'],
      name: ['must be a non-empty string of at most 120 characters'],
      domain: ['must be a host name without scheme, port or path'],
      'allowed_origins.1': [origin],
      'allowed_origins.2': [origin],
      currency: ['must be an active ISO 4217 currency code in upper case'],
      timezone: ['must be an IANA time zone name'],
      publisher_mode: ['must be one of off, active'],
      'partner.providers.1': ['must be a lower-case slug of at most 64 characters'],
      'partner.touch_limit': ['must be a whole number from 1 to 20'],
      runtime_hourly_limit: ['must be a whole number from 1 to 1000000000'],
      colour: ['is not a known field'],
    });
  });

  it.each<[string, unknown, boolean]>([
    ['name', 'n', true],
    ['name', 'n'.repeat(120), true],
    ['name', '😀'.repeat(120), true],
    ['name', '😀'.repeat(121), false],
    ['name', 'n'.repeat(121), false],
    ['name', '   ', false],
    ['name', 7, false],
    ['allowed_origins', [], false],
    ['allowed_origins', Array.from({ length: 50 }, (_, n) => `https://s${n}.example`), true],
    ['allowed_origins', Array.from({ length: 51 }, (_, n) => `https://s${n}.example`), false],
    ['allowed_origins', 'https://shop.example', false],
    ['allowed_origins', { 0: 'https://shop.example', length: 1 }, false],
    ['currency', 'JPY', true],
    ['currency', 'XXX', false],
    ['currency', 'XAU', false],
    ['currency', 'toString', false],
    ['timezone', 'Europe/Berlin', true],
    ['timezone', 'Asia/Calcutta', true],
    ['timezone', 'Europe/Atlantis', false],
    ['timezone', 'a'.repeat(65), false],
    ['publisher_mode', 'active', true],
    ['partner', [], false],
    ['partner', { providers: [], touch_limit: 1 }, true],
    ['partner', { touch_limit: 0 }, false],
    ['partner', { touch_limit: 20 }, true],
    ['partner', { touch_limit: '5' }, false],
    ['partner', { providers: Array.from({ length: 51 }, (_, n) => `p${n}`) }, false],
    ['runtime_hourly_limit', 1, true],
    ['runtime_hourly_limit', 100_000_000, true],
    ['runtime_hourly_limit', 1_000_000_000, true],
    ['runtime_hourly_limit', 1_000_000_001, false],
    ['runtime_hourly_limit', 0, false],
  ])('%s: %p is accepted: %p', (field, value, isAccepted) => {
    expect(readCreateSite({ ...LEAST, [field]: value }).ok).toBe(isAccepted);
  });

  it('keeps each origin once, as browsers send it', () => {
    const allowed_origins = ['https://Shop.example', 'https://shop.example:443', 'http://shop.example'];
    expect(settingsOf({ ...LEAST, allowed_origins }).allowedOrigins).toEqual([
      'https://shop.example',
      'http://shop.example',
    ]);
  });

  it('replaces what Postgres cannot hold in a name', () => {
    expect(settingsOf({ ...LEAST, name: 'a\0b\uD800c' }).name).toBe('a\uFFFDb\uFFFDc');
  });

  it('drops the keys that change what an object is', () => {
    const body: unknown = JSON.parse(
      JSON.stringify(LEAST).replace('{', '{"__proto__":{"name":"x"},"constructor":1,'),
    );
    expect(settingsOf(body)).toEqual(settingsOf(LEAST));
  });

  it('throws for no input whatever, and refuses with at least one message', () => {
    const fields = fc.record(
      Object.fromEntries(
        [
          ...Object.keys(LEAST),
          'currency',
          'timezone',
          'publisher_mode',
          'partner',
          'runtime_hourly_limit',
        ].map((name) => [
          name,
          fc.oneof(fc.anything(), fc.string({ unit: 'binary' }), fc.webUrl(), fc.integer()),
        ]),
      ),
      { requiredKeys: [] },
    );
    const body = fc.oneof(
      fc.anything(),
      fields,
      fields.map((some) => ({ ...LEAST, ...some })),
    );
    fc.assert(
      fc.property(body, (value) => {
        for (const command of [readCreateSite(value), readUpdateSite(value)]) {
          if (command.ok) continue;
          const messages = Object.values(command.error);
          expect(messages.length).toBeGreaterThan(0);
          expect(messages.every((list) => list.length > 0)).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a change of a site', () => {
  const change = (changes: object) => {
    const command = readUpdateSite({ workspace_id: WORKSPACE, site_id: SITE, ...changes });
    if (!command.ok) throw new Error(JSON.stringify(command.error));
    return changedSettings(settingsOf(LEAST), command.value);
  };

  it('leaves what it does not name, inside `partner` too', () => {
    expect(change({})).toEqual(settingsOf(LEAST));
    expect(change({ partner: { touch_limit: 3 } })).toEqual({
      ...settingsOf(LEAST),
      partner: { providers: ['awin', 'cj'], touchLimit: 3 },
    });
    expect(change({ partner: { providers: [] }, publisher_mode: 'active', name: 'Other' })).toEqual({
      ...settingsOf(LEAST),
      name: 'Other',
      publisherMode: 'active',
      partner: { providers: [], touchLimit: 20 },
    });
  });

  it('holds a change to the rules of a new site', () => {
    const command = readUpdateSite({
      workspace_id: WORKSPACE,
      site_id: SITE,
      version: 0,
      allowed_origins: ['x'],
    });
    expect(command.ok ? [] : Object.keys(command.error).sort()).toEqual(['allowed_origins.0', 'version']);
  });
});
