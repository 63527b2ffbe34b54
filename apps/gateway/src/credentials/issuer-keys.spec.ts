import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FakeIssuer, newIssuerKey } from '../testing/id-tokens.js';
import { IssuerKeys } from './issuer-keys.js';

describe("the issuer's keys", () => {
  let issuer: FakeIssuer;
  let nowMs: number;
  let faults: unknown[];
  let keys: IssuerKeys;

  beforeEach(async () => {
    issuer = await FakeIssuer.start();
    issuer.keys = [await newIssuerKey('ES256', 'first')];
    nowMs = Date.now();
    // jose takes the time from the clock itself.
    jest.spyOn(Date, 'now').mockImplementation(() => nowMs);
    faults = [];
    keys = openKeys();
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await issuer.stop();
  });

  function openKeys(jwksUri?: string): IssuerKeys {
    return new IssuerKeys({
      issuer: issuer.url,
      jwksUri,
      nowMs: () => nowMs,
      onUnreachable: (fault) => faults.push(fault),
    });
  }

  const find = async (kid: string): Promise<string> => {
    const found = await keys.find({ alg: 'ES256', kid });
    return found.ok ? 'found' : found.error;
  };

  it("the issuer's keys are discovered and fetched once, however many ask at once", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => find('first')));
    expect(new Set(all)).toEqual(new Set(['found']));
    expect(issuer.requests).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  it("the issuer's keys are fetched from the configured URL, without discovery", async () => {
    keys = openKeys(`${issuer.url}/keys`);
    expect(await find('first')).toBe('found');
    expect(issuer.requests).toEqual(['/keys']);
  });

  it('new keys of the issuer are found, and unknown ids do not cause a flood of requests', async () => {
    expect(await find('first')).toBe('found');
    issuer.keys = [...issuer.keys, await newIssuerKey('ES256', 'second')];
    for (let n = 0; n < 50; n++) expect(await find(`random-${n}`)).toBe('unknown-key');
    expect(issuer.fetches).toBe(1);
    nowMs += 5_001;
    expect(await find('second')).toBe('found');
    expect(issuer.fetches).toBe(2);
    for (let n = 0; n < 50; n++) expect(await find(`random-${n}`)).toBe('unknown-key');
    expect(issuer.fetches).toBe(2);
  });

  it('withdrawn keys of the issuer are dropped after ten minutes', async () => {
    expect(await find('first')).toBe('found');
    issuer.keys = [await newIssuerKey('ES256', 'second')];
    nowMs += 600_001;
    expect(await find('first')).toBe('unknown-key');
  });

  it('stay good while the issuer is away, and others are not refused for that', async () => {
    expect(await find('first')).toBe('found');
    issuer.status = 500;
    nowMs += 600_001;
    expect(await find('first')).toBe('found');
    expect(await find('second')).toBe('unavailable');
    issuer.status = 200;
    nowMs += 1_001;
    expect(await find('second')).toBe('unknown-key');
    expect(faults).toHaveLength(1);
  });

  it('keys that were never fetched are asked for again, at most once a second', async () => {
    issuer.status = 503;
    for (let n = 0; n < 20; n++) expect(await find('first')).toBe('unavailable');
    expect(issuer.requests).toHaveLength(1);
    issuer.status = 200;
    expect(await find('first')).toBe('unavailable');
    nowMs += 1_001;
    expect(await find('first')).toBe('found');
  });

  it("the issuer's keys are not taken from another issuer's discovery", async () => {
    issuer.discoveredIssuer = 'https://login.example';
    expect(await find('first')).toBe('unavailable');
    expect(String(faults[0])).toContain('another issuer');
    expect(issuer.fetches).toBe(0);
  });
});
