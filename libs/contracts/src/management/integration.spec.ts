import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { integrationFaults, readIntegration, readIntegrationPatch } from './integration.js';
import { INTEGRATION_CHANGE, NEW_INTEGRATION } from './integration-messages.js';

const SITE_ID = '0b5e0000-0000-4000-8000-000000000001';
const CREDENTIALS = { publisher_id: '481516', api_token: 'token-2342' };
const LEAST = { site_id: SITE_ID, provider: 'awin', credentials: CREDENTIALS };
const BASE_URL =
  'must be an absolute http(s) URL of at most 2048 characters, without user, query or fragment';

function problemsOf(body: unknown) {
  const integration = readIntegration(body);
  return integration.ok ? {} : integration.error;
}

function patchProblemsOf(body: unknown) {
  const patch = readIntegrationPatch(body);
  return patch.ok ? {} : patch.error;
}

describe('an integration (interface page, section 9)', () => {
  it('needs a site, a network and its credentials', () => {
    expect(readIntegration({ ...LEAST, site_id: SITE_ID.toUpperCase() })).toEqual({
      ok: true,
      value: { ...LEAST, base_url: null },
    });
    expect(problemsOf({})).toEqual({
      site_id: ['must be a UUID; got nothing'],
      provider: ['must be one of awin, cj, product_feed; got nothing'],
      credentials: ['must be an object; got nothing'],
      'credentials.publisher_id': ['must be a non-empty string of at most 128 characters; got nothing'],
      'credentials.api_token': ['must be a non-empty string of at most 1024 characters; got nothing'],
    });
  });

  it.each<[string, unknown, Record<string, readonly string[]>]>([
    ['provider', 'cj', {}],
    ['provider', 'rakuten', { provider: ['must be one of awin, cj, product_feed; got 7 characters'] }],
    ['base_url', 'https://api.awin.example/v1', {}],
    ['base_url', 'http://127.0.0.1:8080', {}],
    ['base_url', null, {}],
    [
      'base_url',
      'https://user:word@api.example',
      { base_url: [`${BASE_URL}; got a URL of 29 characters with a user`] },
    ],
    [
      'base_url',
      'https://token@api.example',
      { base_url: [`${BASE_URL}; got a URL of 25 characters with a user`] },
    ],
    [
      'base_url',
      'https://api.example?token=1',
      { base_url: [`${BASE_URL}; got a URL of 27 characters with a query`] },
    ],
    [
      'base_url',
      'https://api.example/#token',
      { base_url: [`${BASE_URL}; got a URL of 26 characters with a path, a fragment`] },
    ],
    [
      'base_url',
      'ftp://api.example',
      { base_url: [`${BASE_URL}; got a URL of 17 characters with another scheme than http(s)`] },
    ],
    [
      'base_url',
      `https://api.example/${'a'.repeat(2_029)}`,
      { base_url: [`${BASE_URL}; got a URL of 2049 characters with a path`] },
    ],
    ['status', 'connected', { status: ['is not a known field'] }],
    ['api_token', 'token-2342', { api_token: ['is not a known field'] }],
    ['credentials', 'token', { credentials: ['must be an object; got 5 characters'] }],
    [
      'credentials',
      { publisher_id: 7, api_token: 't'.repeat(1_025) },
      {
        'credentials.publisher_id': ['must be a non-empty string of at most 128 characters; got a number'],
        'credentials.api_token': [
          'must be a non-empty string of at most 1024 characters; got 1025 characters',
        ],
      },
    ],
    [
      'credentials',
      { publisher_id: 'a\0', api_token: '' },
      {
        'credentials.publisher_id': ['must not contain U+0000 or an unpaired surrogate'],
        'credentials.api_token': [
          'must be a non-empty string of at most 1024 characters; got an empty string',
        ],
      },
    ],
  ])('%s %p is judged %j', (field, value, messages) => {
    expect(problemsOf({ ...LEAST, [field]: value })).toEqual(messages);
    const own = readIntegrationPatch({ provider: 'awin', [field]: value });
    expect(own.ok ? {} : own.error).toEqual(messages);
  });

  it.each<[string, readonly string[]]>([
    ['https://shop.example/feed@2x.xml?user=me@shop.example', []],
    ['https://me@shop.example/feed.xml', ['base_url']],
    ['https://shop.example/feed.xml#part', ['base_url']],
  ])('the address of a feed, %p, has no user and no fragment', (base_url, fields) => {
    expect(
      Object.keys(problemsOf({ ...LEAST, provider: 'product_feed', base_url, credentials: {} })),
    ).toEqual(fields);
  });

  it('credentials with another member than their own are refused, and its name is not told', () => {
    const credentials = { ...CREDENTIALS, note: 'secret' };
    const ofNetwork = { credentials: ['must have no members but publisher_id and api_token'] };
    expect([problemsOf({ ...LEAST, credentials }), patchProblemsOf({ credentials })]).toEqual([
      ofNetwork,
      ofNetwork,
    ]);
    const feed = { ...LEAST, provider: 'product_feed', base_url: 'https://shop.example/' };
    expect(problemsOf({ ...feed, credentials: { username: 'shop', pasword: 'secret' } })).toEqual({
      credentials: ['must have no members but username and password'],
    });
  });

  it('reveals nothing of its content, whatever is wrong', () => {
    const secret = 'S3cret-of-the-merchant';
    const anywhere = fc.constantFrom(secret, [secret], { [secret]: 1 }, { a: secret }, `https://${secret}@x`);
    const names = ['site_id', 'provider', 'credentials', 'base_url'];
    const bodies = fc.record(Object.fromEntries(names.map((name) => [name, anywhere])), { requiredKeys: [] });
    fc.assert(
      fc.property(bodies, (body) => {
        for (const read of [readIntegration(body), readIntegrationPatch(body)]) {
          if (!read.ok) expect(JSON.stringify(read.error)).not.toContain(secret);
        }
      }),
    );
  });
});

describe('a change of an integration', () => {
  it('keeps the given fields, and credentials as a whole', () => {
    expect(readIntegrationPatch({})).toEqual({ ok: true, value: {} });
    expect(readIntegrationPatch({ base_url: null })).toEqual({ ok: true, value: { base_url: null } });
    expect(readIntegrationPatch({ credentials: CREDENTIALS })).toEqual({
      ok: true,
      value: { credentials: CREDENTIALS },
    });
    expect(patchProblemsOf({ credentials: { api_token: 'new' } })).toEqual({
      'credentials.publisher_id': ['must be a non-empty string of at most 128 characters; got nothing'],
    });
  });

  it('a change of an integration cannot remove required fields', () => {
    expect(patchProblemsOf({ site_id: null, provider: null, credentials: null })).toEqual({
      site_id: ['must be a UUID; got null'],
      provider: ['must be one of awin, cj, product_feed; got null'],
      credentials: ['must be an object; got null'],
      'credentials.publisher_id': ['must be a non-empty string of at most 128 characters; got nothing'],
      'credentials.api_token': ['must be a non-empty string of at most 1024 characters; got nothing'],
    });
    expect(patchProblemsOf(null)).toEqual({ body: ['must be an object; got null'] });
  });
});

describe('an integration of a product feed', () => {
  const FEED = { site_id: SITE_ID, provider: 'product_feed', base_url: 'https://shop.example/feed?lang=de' };
  const PUBLIC = { username: null, password: null };

  it.each([undefined, null, {}])('a feed needs its address, and no credentials: %j', (credentials) => {
    const read = readIntegration({ ...FEED, credentials });
    expect(read).toEqual({ ok: true, value: { ...FEED, credentials: PUBLIC } });
    expect(Object.keys(problemsOf({ ...FEED, base_url: null }))).toEqual(['base_url']);
  });

  it('Basic credentials are what a header can carry', () => {
    const credentials = { username: 'shop', password: 'p:ß' };
    expect(readIntegration({ ...FEED, credentials })).toMatchObject({ ok: true, value: { credentials } });
    const faults = problemsOf({ ...FEED, credentials: { username: 'a:b', password: 'x\ny' } });
    expect(Object.keys(faults)).toEqual(['credentials.username', 'credentials.password']);
  });

  it('a feed is known in a patch by the form of its credentials, and compared with the stored one', () => {
    const credentials = { username: 'shop' };
    expect(readIntegrationPatch({ credentials })).toEqual({
      ok: true,
      value: { credentials: { username: 'shop', password: null } },
    });
    const url = 'https://shop.example/feed?x=1';
    for (const feed of [{ provider: 'product_feed' }, { credentials: { username: 'shop', password: null } }])
      expect(readIntegrationPatch({ base_url: url, ...feed })).toEqual({
        ok: true,
        value: { base_url: url, ...feed },
      });
    // Of a network it could be a token, and nothing here says whose it is.
    const fault = `${BASE_URL}; got a URL of 29 characters with a path, a query`;
    expect(patchProblemsOf({ base_url: url })).toEqual({ base_url: [fault] });
    expect(integrationFaults('awin', { base_url: url, credentialsOf: 'product_feed' })).toEqual({
      base_url: [fault],
      credentials: ['must be those of awin'],
    });
    expect(integrationFaults('product_feed', { base_url: url, credentialsOf: 'product_feed' })).toEqual({});
    const none = integrationFaults('product_feed', { base_url: null, credentialsOf: undefined });
    expect(Object.keys(none)).toEqual(['base_url']);
  });
});

describe('the messages of integrations', () => {
  const sealed = { key_id: 'k1', sealed: 'AAAA' };

  it('messages of integrations are read back as they were written', () => {
    const integration = {
      id: SITE_ID,
      site_id: SITE_ID,
      provider: 'cj',
      base_url: null,
      credentials: sealed,
    };
    expect(NEW_INTEGRATION.read(JSON.parse(JSON.stringify(integration)))).toEqual({
      ok: true,
      value: integration,
    });
    const renewed = { credentials: sealed, credentials_of: 'network' };
    const named = { site_id: SITE_ID, provider: 'cj', base_url: 'https://x', ...renewed };
    for (const patch of [{}, { base_url: null }, { base_url: 'https://x', ...renewed }, named]) {
      expect(INTEGRATION_CHANGE.read(JSON.parse(JSON.stringify(patch)))).toEqual({ ok: true, value: patch });
    }
  });

  it('messages of integrations are refused when they are none', () => {
    fc.assert(
      fc.property(fc.anything(), (message) => {
        expect(NEW_INTEGRATION.read(message).ok).toBe(false);
      }),
    );
    expect(NEW_INTEGRATION.read({ ...LEAST, id: SITE_ID })).toMatchObject({ ok: false });
    expect(INTEGRATION_CHANGE.read({ provider: 'other' })).toEqual({
      ok: false,
      error: 'unreadable: provider',
    });
    expect(INTEGRATION_CHANGE.read({ credentials: CREDENTIALS })).toMatchObject({ ok: false });
    expect(INTEGRATION_CHANGE.read(7)).toEqual({ ok: false, error: 'not an object' });
  });
});

describe('the address of an integration', () => {
  it('an address in other letters is kept in punycode and percent-encoding, and its length is that of these', () => {
    const read = (base_url: string): unknown => readIntegration({ ...LEAST, base_url });
    expect(read('https://bücher.example/größe')).toMatchObject({
      value: { base_url: 'https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe' },
    });
    expect(read('https://shop.example')).toMatchObject({ value: { base_url: 'https://shop.example' } });
    expect(read(`https://shop.example/${'ö'.repeat(400)}`)).toMatchObject({
      error: { base_url: [`${BASE_URL}; got a URL of 421 characters with a path, characters beyond ASCII`] },
    });
  });
});
