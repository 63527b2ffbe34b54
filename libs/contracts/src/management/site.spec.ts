import { describe, expect, it } from '@jest/globals';
import { anyCharacter, anyUrl } from '@truetally/kernel/testing';
import fc from 'fast-check';
import { mergePatch } from '@truetally/kernel';
import { readSite } from './site.js';

const DEFAULT_PARTNER = {
  providers: ['awin', 'cj'],
  touch_limit: 20,
  attribution_model: 'linear',
  lookback_days: null,
};
const LEAST = {
  name: 'Shop',
  domain: 'shop.example',
  allowed_origins: ['https://shop.example'],
};

function siteOf(body: unknown) {
  const site = readSite(body);
  if (!site.ok) throw new Error(JSON.stringify(site.error));
  return site.value;
}

function problemsOf(body: unknown) {
  const site = readSite(body);
  return site.ok ? {} : site.error;
}

describe('a new site (interface, section 9)', () => {
  it('needs a name, a domain and origins; everything else has a default', () => {
    expect(siteOf(LEAST)).toEqual({
      name: 'Shop',
      domain: 'shop.example',
      allowed_origins: ['https://shop.example'],
      currency: 'EUR',
      timezone: 'UTC',
      publisher_mode: 'off',
      partner: DEFAULT_PARTNER,
      runtime_hourly_limit: 100_000,
    });
    expect(problemsOf({})).toEqual({
      name: ['must be a non-empty string of at most 120 characters; got nothing'],
      domain: ['must be a host name without scheme, port or path; got nothing'],
      allowed_origins: ['must be an array of 1 to 50 items; got nothing'],
    });
  });

  it('takes null for absent', () => {
    const body = { ...LEAST, currency: null, timezone: null, partner: null, runtime_hourly_limit: null };
    expect(siteOf(body)).toEqual(siteOf(LEAST));
    expect(problemsOf({ ...LEAST, name: null })).toEqual({
      name: ['must be a non-empty string of at most 120 characters; got null'],
    });
  });

  it('names every broken rule at once, by path', () => {
    const body = {
      name: '',
      domain: 'https://shop.example',
      allowed_origins: ['https://shop.example', 'https://shop.example/', 7],
      currency: 'eur',
      timezone: '+01:00',
      publisher_mode: 'on',
      partner: {
        providers: ['awin', 'Awin'],
        touch_limit: 21,
        attribution_model: 'u_shaped',
        lookback_days: 0.5,
        lookback_day: 7,
      },
      runtime_hourly_limit: 1.5,
      colour: 'red',
    };
    const origin =
      'must be an exact origin such as https://shop.example: http or https, no path, no wildcard';
    expect(problemsOf(body)).toEqual({
      name: ['must be a non-empty string of at most 120 characters; got an empty string'],
      domain: ['must be a host name without scheme, port or path; got a URL of 20 characters'],
      'allowed_origins.1': [`${origin}; got a URL of 21 characters with a path`],
      'allowed_origins.2': [`${origin}; got a number`],
      currency: ['must be an active ISO 4217 currency code in upper case; got 3 characters'],
      timezone: ['must be an IANA time zone name; got 6 characters'],
      publisher_mode: ['must be one of off, active; got 2 characters'],
      'partner.providers.1': ['must be a lower-case slug of at most 64 characters; got 4 characters'],
      'partner.touch_limit': ['must be a whole number from 1 to 20; got another number'],
      'partner.attribution_model': ['must be one of linear, last_touch, first_touch; got 8 characters'],
      'partner.lookback_days': ['must be a whole number from 1 to 365; got another number'],
      'partner.lookback_day': ['is not a known field'],
      runtime_hourly_limit: ['must be a whole number from 1 to 1000000000; got another number'],
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
    ['partner', { attribution_model: 'linear' }, true],
    ['partner', { attribution_model: 'last_touch' }, true],
    ['partner', { attribution_model: 'first_touch' }, true],
    ['partner', { attribution_model: 'LINEAR' }, false],
    ['partner', { attribution_model: null, lookback_days: null }, true],
    ['partner', { lookback_days: 1 }, true],
    ['partner', { lookback_days: 365 }, true],
    ['partner', { lookback_days: 0 }, false],
    ['partner', { lookback_days: 366 }, false],
    ['partner', { lookback_days: '30' }, false],
    ['partner', { providers: Array.from({ length: 51 }, (_, n) => `p${n}`) }, false],
    ['runtime_hourly_limit', 1, true],
    ['runtime_hourly_limit', 100_000_000, true],
    ['runtime_hourly_limit', 1_000_000_000, true],
    ['runtime_hourly_limit', 1_000_000_001, false],
    ['runtime_hourly_limit', 0, false],
  ])('%s: %p is accepted: %p', (field, value, isAccepted) => {
    expect(readSite({ ...LEAST, [field]: value }).ok).toBe(isAccepted);
  });

  it('keeps each origin once, as browsers send it', () => {
    const allowed_origins = ['https://Shop.example', 'https://shop.example:443', 'http://shop.example'];
    expect(siteOf({ ...LEAST, allowed_origins }).allowed_origins).toEqual([
      'https://shop.example',
      'http://shop.example',
    ]);
  });

  it('replaces characters that Postgres cannot store in a name', () => {
    expect(siteOf({ ...LEAST, name: 'a\0b\uD800c' }).name).toBe('a\uFFFDb\uFFFDc');
  });

  it('drops keys that change an object’s prototype', () => {
    const body: unknown = JSON.parse(
      JSON.stringify(LEAST).replace('{', '{"__proto__":{"name":"x"},"constructor":1,'),
    );
    expect(siteOf(body)).toEqual(siteOf(LEAST));
  });

  it('throws for no input, refuses with at least one message, and reads its own output in the same way', () => {
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
          fc.oneof(fc.anything(), fc.string({ unit: anyCharacter }), anyUrl, fc.integer()),
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
        const site = readSite(value);
        if (site.ok) {
          expect(readSite(site.value)).toEqual(site);
          return;
        }
        const messages = Object.values(site.error);
        expect(messages.length).toBeGreaterThan(0);
        expect(messages.every((list) => list.length > 0)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a change of a site', () => {
  const change = (patch: object) => siteOf(mergePatch(siteOf(LEAST), patch));

  it('leaves other fields unchanged, also inside `partner`', () => {
    expect(change({})).toEqual(siteOf(LEAST));
    expect(change({ partner: { touch_limit: 3 } })).toEqual({
      ...siteOf(LEAST),
      partner: { ...DEFAULT_PARTNER, touch_limit: 3 },
    });
    expect(change({ partner: { providers: [] }, publisher_mode: 'active', name: 'Other' })).toEqual({
      ...siteOf(LEAST),
      name: 'Other',
      publisher_mode: 'active',
      partner: { ...DEFAULT_PARTNER, providers: [] },
    });
  });

  it('takes the model and the lookback away with null, and leaves the rest of `partner`', () => {
    const partner = { providers: ['awin'], attribution_model: 'last_touch', lookback_days: 30 };
    const strict = siteOf({ ...LEAST, partner });
    expect(siteOf(mergePatch(strict, { partner: { lookback_days: null } })).partner).toEqual({
      ...DEFAULT_PARTNER,
      ...partner,
      lookback_days: null,
    });
    expect(siteOf(mergePatch(strict, { partner: { attribution_model: null } })).partner).toEqual({
      ...DEFAULT_PARTNER,
      ...partner,
      attribution_model: 'linear',
    });
    expect(siteOf(mergePatch(strict, { partner: null })).partner).toEqual(DEFAULT_PARTNER);
  });

  it('makes a field absent with null: its default, or a broken rule', () => {
    const berlin = siteOf({ ...LEAST, timezone: 'Europe/Berlin' });
    expect(siteOf(mergePatch(berlin, { timezone: null }))).toEqual(siteOf(LEAST));
    expect(problemsOf(mergePatch(berlin, { domain: null, colour: 'red' }))).toEqual({
      domain: ['must be a host name without scheme, port or path; got nothing'],
      colour: ['is not a known field'],
    });
  });
});
