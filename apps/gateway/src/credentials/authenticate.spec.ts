import { beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { API_KEY_RANDOM_BYTES, mintApiKey, SCOPES } from '@truetally/contracts/credentials';
import {
  type CredentialRecord,
  CREDENTIAL_RECORD,
  SITE_RECORD,
  type SiteRecord,
} from '@truetally/contracts/facts';
import { Authenticator } from './authenticate.js';
import { CREDENTIAL_DEMANDS } from './credential-demand.js';
import { applyCredential, applySite } from './directory-feed.js';
import { KeyDirectory } from './key-directory.js';
import { MemberDirectory } from './member-directory.js';
import { RuntimeTokens } from './runtime-token.js';
import { SiteDirectory } from './site-directory.js';

const ORIGIN = 'https://shop.example';
const NOW_MS = Date.UTC(2026, 0, 31, 9, 30);
const EVENTS = CREDENTIAL_DEMANDS['event-writer'];

describe('who asks (interface page, section 2)', () => {
  const minted = mintApiKey(randomBytes(API_KEY_RANDOM_BYTES));
  let nowMs: number;
  let sites: SiteDirectory;
  let keys: KeyDirectory;
  let tokens: RuntimeTokens;
  let authenticator: Authenticator;
  let unreadable: string[];
  let used: unknown[];
  const site: SiteRecord = {
    site_id: randomUUID(),
    workspace_id: randomUUID(),
    name: 'Shop',
    domain: 'shop.example',
    allowed_origins: [ORIGIN],
    suspended: false,
    currency: 'EUR',
    timezone: 'UTC',
    publisher_mode: 'off',
    partner: { providers: [], touch_limit: 20, attribution_model: 'linear', lookback_days: null },
    runtime_hourly_limit: 100_000,
    version: 1,
  };
  const credential: CredentialRecord = {
    key_id: randomUUID(),
    site_id: site.site_id,
    workspace_id: site.workspace_id,
    prefix: minted.prefix,
    hash: minted.hash,
    scopes: ['events:write'],
    hourly_limit: 1_000,
    limit_id: randomUUID(),
    expires_at: null,
    revoked_at: null,
    version: 1,
  };

  beforeEach(() => {
    nowMs = NOW_MS;
    sites = new SiteDirectory();
    keys = new KeyDirectory();
    tokens = new RuntimeTokens([{ kid: 'a', secret: randomBytes(32) }], () => nowMs);
    authenticator = new Authenticator({
      sites,
      keys,
      keyUses: { note: (...use) => used.push(use) },
      members: new MemberDirectory(),
      runtimeTokens: tokens,
      idTokens: undefined,
      nowMs: () => nowMs,
    });
    unreadable = [];
    used = [];
    put({});
    putKey({});
  });

  function put(changes: Partial<SiteRecord>): void {
    feedSite(SITE_RECORD.encode({ ...site, ...changes }));
  }

  function feedSite(value: string | null): void {
    applySite(sites, site.site_id, value, (...fault) => unreadable.push(fault.join(' ')));
  }

  function putKey(changes: Partial<CredentialRecord>): void {
    feedKey(CREDENTIAL_RECORD.encode({ ...credential, ...changes }));
  }

  function feedKey(value: string | null): void {
    applyCredential(keys, credential.key_id, value, (...fault) => unreadable.push(fault.join(' ')));
  }

  const byKey = (text = minted.key, origin?: string) =>
    authenticator.authenticate({ kind: 'api-key', text, isInHeader: true }, origin, EVENTS);
  const byBodyKey = (origin: string | undefined) =>
    authenticator.authenticate({ kind: 'api-key', text: minted.key, isInHeader: false }, origin, EVENTS);
  const invalid = { ok: false, error: 'credential-invalid' };

  it('an API key in the header is its site, trusted as a server, and counted against its limit id', () => {
    expect(byKey()).toEqual({
      ok: true,
      value: {
        kind: 'site',
        siteId: site.site_id,
        workspaceId: site.workspace_id,
        keyId: credential.key_id,
        keyPrefix: minted.prefix,
        trust: 'server',
        limit: { subject: `key:${credential.limit_id}`, perHour: 1_000 },
      },
    });
  });

  it.each([
    ['unknown', mintApiKey(randomBytes(API_KEY_RANDOM_BYTES)).key],
    ['cut short', minted.key.slice(0, -1)],
    ['in other letters', minted.key.toUpperCase()],
    ['sent twice', `${minted.key}, ${minted.key}`],
    ['empty', ''],
    ['its hash', minted.hash],
  ])('a key that is %s is not one', (_name, text) => {
    expect(byKey(text)).toMatchObject(invalid);
  });

  it('a key is refused from the moment of its expiry, and after it is revoked or deleted', () => {
    putKey({ expires_at: new Date(NOW_MS + 1).toISOString() });
    expect(byKey()).toMatchObject({ ok: true });
    nowMs += 1;
    expect(byKey()).toMatchObject(invalid);
    putKey({ revoked_at: new Date(NOW_MS).toISOString() });
    expect(byKey()).toMatchObject(invalid);
    putKey({});
    expect(byKey()).toMatchObject({ ok: true });
    feedKey(null);
    expect(byKey()).toMatchObject(invalid);
  });

  it('a refused credential names its site, so that the merchant can be told; that of no site names none', async () => {
    const named = { ...invalid, siteId: site.site_id };
    putKey({ revoked_at: new Date(NOW_MS).toISOString() });
    expect(byKey()).toEqual(named);
    expect(byKey(mintApiKey(randomBytes(API_KEY_RANDOM_BYTES)).key)).toMatchObject({ siteId: undefined });
    const { token } = await tokens.issue(site.site_id, ORIGIN);
    expect(await byToken(token, 'https://other.example')).toEqual(named);
    feedSite(null);
    expect(await byToken(token, ORIGIN)).toMatchObject({ ...invalid, siteId: undefined });
  });

  it('a use of a key is noted, and none that was refused', async () => {
    await byKey();
    expect(used).toEqual([[credential.key_id, NOW_MS]]);
    putKey({ revoked_at: new Date(NOW_MS).toISOString(), version: 2 });
    await byKey();
    expect(used).toHaveLength(1);
  });

  it('a key without the scope events:write is refused for that', () => {
    putKey({ scopes: ['analytics:read'] });
    expect(byKey()).toMatchObject({ ok: false, error: 'scope-missing' });
  });

  it.each([
    ['conversion-writer', 'partner_attribution:convert'],
    ['attribution-reader', 'partner_attribution:read'],
    ['commission-rule-writer', 'partner_attribution:convert'],
  ] as const)('%s takes a key with %s, forbids one without it, and no runtime token', async (rule, scope) => {
    const demand = CREDENTIAL_DEMANDS[rule];
    const ask = () =>
      authenticator.authenticate({ kind: 'api-key', text: minted.key, isInHeader: true }, undefined, demand);
    putKey({ scopes: SCOPES.filter((other) => other !== scope) });
    const chargedTo = { subject: expect.stringMatching(/^key:/), perHour: expect.any(Number) };
    expect(ask()).toMatchObject({ ok: false, error: 'scope-forbidden', chargedTo });
    putKey({ scopes: [scope] });
    expect(ask()).toMatchObject({ ok: true, value: { siteId: site.site_id, trust: 'server' } });
    const { token } = await tokens.issue(site.site_id, ORIGIN);
    const byRuntimeToken = await authenticator.authenticate({ kind: 'bearer', text: token }, ORIGIN, demand);
    const error = demand.bearer === null ? 'credential-kind' : 'credential-invalid';
    expect(byRuntimeToken).toMatchObject({ ok: false, error });
  });

  it('jobs are followed by a key of whatever scope, and by no runtime token', async () => {
    const demand = CREDENTIAL_DEMANDS['job-follower'];
    putKey({ scopes: ['analytics:read'] });
    const presented = { kind: 'api-key', text: minted.key, isInHeader: true } as const;
    expect(authenticator.authenticate(presented, undefined, demand)).toMatchObject({ ok: true });
    const { token } = await tokens.issue(site.site_id, ORIGIN);
    const asked = authenticator.authenticate({ kind: 'bearer', text: token }, ORIGIN, demand);
    expect(await asked).toMatchObject({ ok: false, error: 'credential-invalid' });
  });

  it('only runtime tokens may write touches, whatever scopes a key has', async () => {
    const demand = CREDENTIAL_DEMANDS['touch-writer-or-beacon'];
    putKey({ scopes: [...SCOPES] });
    for (const isInHeader of [true, false]) {
      const presented = { kind: 'api-key', text: minted.key, isInHeader } as const;
      expect(authenticator.authenticate(presented, ORIGIN, demand)).toMatchObject({
        ok: false,
        error: 'credential-kind',
      });
    }
    const { token } = await tokens.issue(site.site_id, ORIGIN);
    const asked = authenticator.authenticate({ kind: 'bearer', text: token }, ORIGIN, demand);
    expect(await asked).toMatchObject({ ok: true, value: { trust: 'browser' } });
  });

  it('keys and tokens of a suspended, deleted or unreadable site are refused', async () => {
    const { token } = await tokens.issue(site.site_id, ORIGIN);
    for (const change of [
      () => put({ suspended: true }),
      () => feedSite('{"site_id":"broken"}'),
      () => feedSite(null),
    ]) {
      put({});
      expect(byKey()).toMatchObject({ ok: true });
      expect(await byToken(token, ORIGIN)).toMatchObject({ ok: true });
      change();
      expect(byKey()).toMatchObject(invalid);
      expect(await byToken(token, ORIGIN)).toMatchObject(invalid);
    }
    expect(unreadable).toHaveLength(1);
  });

  it('a key record that cannot be read any more is refused, and its hash is not reported', () => {
    feedKey(JSON.stringify({ ...credential, revoked_at: 'yesterday' }));
    expect(byKey()).toMatchObject(invalid);
    expect(unreadable.join()).toContain('revoked_at');
    expect(unreadable.join()).not.toContain(minted.hash);
  });

  it('a key whose record gets another hash is refused under the old one', () => {
    const next = mintApiKey(randomBytes(API_KEY_RANDOM_BYTES));
    putKey({ hash: next.hash });
    expect(byKey()).toMatchObject(invalid);
    expect(byKey(next.key)).toMatchObject({ ok: true });
  });

  it('a body-carried key counts as a browser, and only from an origin that its site lists', () => {
    expect(byBodyKey(ORIGIN)).toMatchObject({ ok: true, value: { trust: 'browser' } });
    expect(byBodyKey('https://other.example')).toMatchObject(invalid);
    expect(byBodyKey(undefined)).toMatchObject(invalid);
  });

  it('a runtime token is its site from its own origin only, counted per site', async () => {
    const { token } = await tokens.issue(site.site_id, ORIGIN);
    expect(await byToken(token, ORIGIN)).toEqual({
      ok: true,
      value: {
        kind: 'site',
        siteId: site.site_id,
        workspaceId: site.workspace_id,
        keyId: null,
        keyPrefix: null,
        trust: 'browser',
        limit: { subject: `site:${site.site_id}`, perHour: 100_000 },
      },
    });
    for (const origin of [
      undefined,
      'https://other.example',
      'http://shop.example',
      'https://shop.example:8443',
      'null',
    ]) {
      expect(await byToken(token, origin)).toMatchObject(invalid);
    }
  });

  it('a runtime token ends with the listing of its origin', async () => {
    const { token } = await tokens.issue(site.site_id, ORIGIN);
    expect(await byToken(token, ORIGIN)).toMatchObject({ ok: true });
    put({ allowed_origins: ['https://new.example'] });
    expect(await byToken(token, ORIGIN)).toMatchObject(invalid);
  });

  it('an origin is listed as long as any site lists it', () => {
    const other = randomUUID();
    applySite(sites, other, SITE_RECORD.encode({ ...site, site_id: other }), () => undefined);
    expect(sites.lists(ORIGIN)).toBe(true);
    feedSite(null);
    expect(sites.lists(ORIGIN)).toBe(true);
    sites.remove(other, 1);
    expect(sites.lists(ORIGIN)).toBe(false);
    expect(sites.lists('https://other.example')).toBe(false);
  });

  function byToken(text: string, origin: string | undefined) {
    return authenticator.authenticate({ kind: 'bearer', text }, origin, EVENTS);
  }
});
