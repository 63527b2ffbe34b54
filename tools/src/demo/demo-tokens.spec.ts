import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, newIssuerKeys, writeIssuerKeys } from '@truetally/testing';
import { type DemoTokens, mintDemoTokens, renewDemoTokens } from './demo-tokens.js';

const DAY_SECONDS = 86_400;

describe('the tokens of the demo', () => {
  const folder = mkdtempSync(join(tmpdir(), 'truetally-tokens-'));
  const issuer = { port: 4194, keysFile: join(folder, 'issuer-keys.json') };

  beforeAll(async () => writeIssuerKeys(issuer.keysFile, await newIssuerKeys()));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('the tokens of the demo are valid for a day, all but the one that has expired', async () => {
    const now = Date.now() / 1_000;
    const { expired, ...valid } = await mintDemoTokens(issuer);
    const minted = Date.now() / 1_000;
    const subjects = Object.values(valid).map((token) => claims(token).sub);
    expect(subjects).toEqual(['demo-owner', 'demo-admin', 'demo-analyst', 'demo-outsider']);
    for (const token of Object.values(valid)) {
      expect(claims(token)).toMatchObject({ iss: 'http://127.0.0.1:4194', aud: 'truetally-dashboard' });
      // Of whole seconds, from a moment between.
      expect(claims(token).exp - DAY_SECONDS).toBeGreaterThan(now - 1);
      expect(claims(token).exp - DAY_SECONDS).toBeLessThanOrEqual(minted);
    }
    expect(claims(expired).exp).toBeLessThan(now);
  });

  it('the tokens of the demo are renewed until the stack stops', async () => {
    const renewed: DemoTokens[] = [];
    const stop = Promise.withResolvers<undefined>();
    renewDemoTokens(issuer, (tokens) => renewed.push(tokens), stop.promise, 10);
    await eventually(() => renewed.length >= 2);
    stop.resolve(undefined);
    await stop.promise;
    const count = renewed.length;
    await mintDemoTokens(issuer);
    expect(renewed).toHaveLength(count);
  });
});

function claims(token: string): { sub: string; iss: string; aud: string; exp: number } {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  return JSON.parse(payload) as ReturnType<typeof claims>;
}
