import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { freePort } from '../free-port.js';
import { type LocalServer } from '../process/server.js';
import { newIssuerKeys, readIssuerKeys, SIGNING_ALGORITHMS, writeIssuerKeys } from './issuer-keys.js';
import { type IdTokenRequest, mintIdToken } from './mint-token.js';
import { issuerUrl, startIssuer } from './start-issuer.js';

describe('the local issuer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'truetally-issuer-'));
  const keysFile = join(folder, 'issuer-keys.json');
  let url: string;
  let server: LocalServer;

  const mint = (request: Partial<IdTokenRequest> = {}): Promise<string> =>
    mintIdToken(readIssuerKeys(keysFile), { iss: url, aud: 'dashboard', sub: 'somebody', ...request });

  const verify = async (token: string) => {
    const { jwks_uri } = (await (await fetch(`${url}/.well-known/openid-configuration`)).json()) as {
      jwks_uri: string;
    };
    return jwtVerify(token, createRemoteJWKSet(new URL(jwks_uri)), {
      issuer: url,
      audience: 'dashboard',
      algorithms: [...SIGNING_ALGORITHMS],
    });
  };

  beforeAll(async () => {
    writeIssuerKeys(keysFile, await newIssuerKeys());
    const port = await freePort();
    url = issuerUrl({ port });
    server = await startIssuer({ port, keysFile });
  });

  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('keeps its keys to their owner, and shows only their public halves', async () => {
    expect(statSync(keysFile).mode & 0o777).toBe(0o600);
    const { keys } = (await (await fetch(`${url}/jwks`)).json()) as { keys: Record<string, unknown>[] };
    expect(keys.map(({ alg }) => alg)).toEqual([...SIGNING_ALGORITHMS]);
    for (const key of keys) expect(key).not.toHaveProperty('d');
  });

  it.each(SIGNING_ALGORITHMS)('publishes the key of a token signed with %s', async (alg) => {
    const { payload, protectedHeader } = await verify(await mint({ alg }));
    expect(protectedHeader.alg).toBe(alg);
    expect(payload).toMatchObject({ iss: url, aud: 'dashboard', sub: 'somebody' });
  });

  it('verifies, started again, the tokens of before', async () => {
    const token = await mint();
    await server.restart();
    await expect(verify(token)).resolves.toMatchObject({ payload: { sub: 'somebody' } });
  });

  it('knows no token of before once its keys are others', async () => {
    const token = await mint();
    writeIssuerKeys(keysFile, await newIssuerKeys());
    await server.restart();
    await expect(verify(token)).rejects.toThrow('no applicable key found');
    await expect(verify(await mint())).resolves.toMatchObject({ payload: { sub: 'somebody' } });
  });

  it.each<[string, Partial<IdTokenRequest>, string]>([
    ['without a signature', { alg: 'none' }, '"alg" (Algorithm) Header Parameter value not allowed'],
    ['keyed with the public key', { alg: 'HS256' }, '"alg" (Algorithm) Header Parameter value not allowed'],
    ['of another issuer', { iss: 'https://elsewhere.example' }, 'unexpected "iss" claim value'],
    ['for another audience', { aud: 'another' }, 'unexpected "aud" claim value'],
    ['that has expired', { expiresInSeconds: -1 }, '"exp" claim timestamp check failed'],
    ['that has not begun', { notBeforeSeconds: 5 }, '"nbf" claim timestamp check failed'],
    ['of an unknown key', { kid: 'unknown' }, 'no applicable key found'],
  ])('the local issuer can mint a token %s, which no verifier takes', async (_name, request, reason) => {
    await expect(verify(await mint(request))).rejects.toThrow(reason);
  });

  it('the local issuer can leave claims out, and write any key id', async () => {
    const token = await mint({ without: ['sub', 'exp'], kid: 'any' });
    expect(Object.keys(decodeJwt(token)).sort()).toEqual(['aud', 'iat', 'iss']);
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'RS256', kid: 'any' });
  });

  it('signs with the key that is named', async () => {
    const key = readIssuerKeys(keysFile).find(({ alg }) => alg === 'EdDSA');
    const { protectedHeader } = await verify(await mint({ kid: String(key?.kid) }));
    expect(protectedHeader).toMatchObject({ alg: 'EdDSA', kid: key?.kid });
  });
});
