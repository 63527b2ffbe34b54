import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { freePort } from '../free-port.js';
import { type LocalServer } from '../process/server.js';
import { newIssuerKeys, writeIssuerKeys } from './issuer-keys.js';
import { issuerUrl, startIssuer } from './start-issuer.js';

const ORIGIN = 'http://localhost:3001';
const CALLBACK = `${ORIGIN}/dashboard/callback`;
const VERIFIER = randomBytes(32).toString('base64url');

interface Tokens {
  readonly id_token?: string;
  readonly refresh_token: string;
  readonly error?: string;
}

describe('signing in at the local issuer (section 12)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'truetally-sign-in-'));
  let url: string;
  let server: LocalServer;

  beforeAll(async () => {
    const keysFile = join(folder, 'keys.json');
    writeIssuerKeys(keysFile, await newIssuerKeys());
    const port = await freePort();
    url = issuerUrl({ port });
    server = await startIssuer({ port, keysFile, clientId: 'dashboard', dashboardOrigins: [ORIGIN] });
  });

  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const query = (more: Readonly<Record<string, string>> = {}): string =>
    new URLSearchParams({
      client_id: 'dashboard',
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid',
      state: 'a state',
      nonce: 'a nonce',
      code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
      code_challenge_method: 'S256',
      ...more,
    }).toString();

  const authorize = (more: Readonly<Record<string, string>> = {}, cookie = ''): Promise<Response> =>
    fetch(`${url}/authorize?${query(more)}`, { redirect: 'manual', headers: { cookie } });

  const answerOf = (response: Response): URLSearchParams =>
    new URL(String(response.headers.get('location'))).searchParams;

  const token = async (form: Readonly<Record<string, string>>): Promise<Tokens> => {
    const body = new URLSearchParams({ client_id: 'dashboard', ...form });
    const response = await fetch(`${url}/token`, { method: 'POST', body, headers: { origin: ORIGIN } });
    expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    return (await response.json()) as Tokens;
  };

  const redeem = (code: string | null, more: Readonly<Record<string, string>> = {}): Promise<Tokens> =>
    token({
      grant_type: 'authorization_code',
      code: String(code),
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
      ...more,
    });

  const refresh = (refreshToken: string): Promise<Tokens> =>
    token({ grant_type: 'refresh_token', refresh_token: refreshToken });

  it('the page has a button for each person, and choosing one leads back with a code and the state', async () => {
    const page = await authorize();
    const html = await page.text();
    expect(page.status).toBe(200);
    for (const person of ['demo-owner', 'demo-admin', 'demo-analyst', 'demo-outsider'])
      expect(html).toContain(`name="person" value="${person}"`);
    expect(html).not.toContain('<script');
    const body = new URLSearchParams({ person: 'demo-admin', id_token_seconds: '90' });
    const chosen = await fetch(`${url}/authorize?${query()}`, { method: 'POST', body, redirect: 'manual' });
    expect(answerOf(chosen).get('state')).toBe('a state');
    const { id_token: idToken = '' } = await redeem(answerOf(chosen).get('code'));
    const keys = createRemoteJWKSet(new URL(`${url}/jwks`));
    const { payload } = await jwtVerify(idToken, keys, { issuer: url, audience: 'dashboard' });
    expect(payload).toMatchObject({ sub: 'demo-admin', nonce: 'a nonce', email: 'demo-admin@shop.example' });
    expect(Number(payload.exp) - Number(payload.iat)).toBe(90);
  });

  it('a hint signs in without the page, and prompt=none then answers for that person until the sign-out', async () => {
    expect(answerOf(await authorize({ prompt: 'none' })).get('error')).toBe('login_required');
    const hinted = await authorize({ login_hint: 'demo-owner' });
    const cookie = String(hinted.headers.get('set-cookie')).split(';')[0] ?? '';
    const { id_token: idToken = '' } = await redeem(
      answerOf(await authorize({ prompt: 'none' }, cookie)).get('code'),
    );
    expect(decodeJwt(idToken).sub).toBe('demo-owner');
    expect((await authorize({ prompt: 'login' }, cookie)).status).toBe(200);
    const end = `${url}/end_session?post_logout_redirect_uri=${encodeURIComponent(`${ORIGIN}/dashboard/`)}`;
    const ended = await fetch(end, { redirect: 'manual', headers: { cookie } });
    expect(ended.headers.get('location')).toBe(`${ORIGIN}/dashboard/`);
    expect(answerOf(await authorize({ prompt: 'none' }, cookie)).get('error')).toBe('login_required');
  });

  it('a code is good once, with its verifier and its callback', async () => {
    const codeOf = async (): Promise<string | null> =>
      answerOf(await authorize({ login_hint: 'demo-owner' })).get('code');
    const code = await codeOf();
    expect((await redeem(code)).id_token).toBeDefined();
    expect((await redeem(code)).error).toBe('invalid_grant');
    expect((await redeem(await codeOf(), { code_verifier: 'another' })).error).toBe('invalid_grant');
    expect((await redeem(await codeOf(), { redirect_uri: `${ORIGIN}/` })).error).toBe('invalid_grant');
    expect((await redeem(await codeOf(), { client_id: 'another' })).error).toBe('invalid_client');
  });

  it('refresh tokens rotate, and one used twice ends them all', async () => {
    const first = await redeem(answerOf(await authorize({ login_hint: 'demo-owner' })).get('code'));
    const second = await refresh(first.refresh_token);
    expect(second.id_token).toBeDefined();
    const third = await refresh(second.refresh_token);
    expect(third.id_token).toBeDefined();
    expect((await refresh(second.refresh_token)).error).toBe('invalid_grant');
    expect((await refresh(third.refresh_token)).error).toBe('invalid_grant');
  });

  it('a refresh answer has no ID token where that was chosen', async () => {
    const asked = { login_hint: 'demo-owner', refresh_without_id_token: 'true' };
    const first = await redeem(answerOf(await authorize(asked)).get('code'));
    const second = await refresh(first.refresh_token);
    expect([typeof second.refresh_token, second.id_token]).toEqual(['string', undefined]);
  });

  it('a callback that is no dashboard’s gets no redirect, and no other flow is answered', async () => {
    for (const redirectUri of [
      'https://evil.example/dashboard/callback',
      `${ORIGIN}/dashboard/callback/..`,
      '',
    ]) {
      const refused = await authorize({ redirect_uri: redirectUri, login_hint: 'demo-owner' });
      expect([refused.status, refused.headers.get('location')]).toEqual([400, null]);
    }
    expect((await authorize({ client_id: 'another' })).status).toBe(400);
    expect(answerOf(await authorize({ response_type: 'token' })).get('error')).toBe(
      'unsupported_response_type',
    );
    expect(answerOf(await authorize({ code_challenge_method: 'plain' })).get('error')).toBe(
      'invalid_request',
    );
    const foreign = await fetch(`${url}/token`, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
    });
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  });
});
