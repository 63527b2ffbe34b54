import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHmac, KeyObject } from 'node:crypto';
import { fail, succeed } from '@truetally/kernel';
import { importJWK, type JWSHeaderParameters, UnsecuredJWT } from 'jose';
import {
  AUDIENCE,
  type Claims,
  type IssuerKey,
  newIssuerKey,
  respelled,
  sign,
} from '../testing/id-tokens.js';
import { IdTokens } from './id-token.js';

const ISSUER = 'https://login.example/tenant';
const NOW_S = Date.UTC(2026, 0, 31, 9, 30) / 1_000;
const INVALID = { ok: false, error: 'credential-invalid' };

describe('ID tokens (interface page, section 2)', () => {
  let keys: ReadonlyMap<string, IssuerKey>;
  let nowMs: number;
  let tokens: IdTokens;
  /** The headers of all tokens whose key was looked up. */
  let asked: JWSHeaderParameters[];
  let isAway: boolean;

  beforeAll(async () => {
    const made = await Promise.all(['RS256', 'ES256', 'EdDSA', 'PS256'].map((alg) => newIssuerKey(alg)));
    keys = new Map(made.map((key) => [key.kid, key]));
  });

  beforeEach(() => {
    nowMs = NOW_S * 1_000;
    asked = [];
    isAway = false;
    const find = async (header: JWSHeaderParameters) => {
      asked.push(header);
      if (isAway) return fail('unavailable' as const);
      const key = keys.get(String(header.kid));
      if (key === undefined) return fail('unknown-key' as const);
      const imported = await importJWK(key.publicJwk, key.alg);
      if (imported instanceof Uint8Array) throw new TypeError('No public key.');
      return succeed(imported);
    };
    tokens = new IdTokens({ issuer: ISSUER, audience: AUDIENCE }, { find }, () => nowMs);
  });

  const claims = (changes: Claims = {}) => ({
    iss: ISSUER,
    aud: AUDIENCE,
    sub: 'auth0|owner',
    iat: NOW_S,
    exp: NOW_S + 3_600,
    ...changes,
  });
  const key = (alg = 'RS256'): IssuerKey => {
    const found = keys.get(alg);
    if (found === undefined) throw new Error(`No key for ${alg}.`);
    return found;
  };
  const verify = async (changes: Claims = {}) => tokens.verify(await sign(key(), claims(changes)));

  it.each(['RS256', 'ES256', 'EdDSA'])('signed with %s name their user', async (alg) => {
    expect(await tokens.verify(await sign(key(alg), claims()))).toEqual({
      ok: true,
      value: {
        subject: 'auth0|owner',
        email: null,
        tokenExpiresAtMs: (NOW_S + 3_600) * 1_000,
      },
    });
  });

  it('ID tokens for several audiences are taken when ours is among them, and they were issued to us', async () => {
    const aud = ['another', AUDIENCE];
    expect(await verify({ aud, azp: AUDIENCE })).toMatchObject({ ok: true });
    expect(await verify({ aud, azp: 'another' })).toEqual(INVALID);
    expect(await verify({ aud })).toEqual(INVALID);
  });

  it('ID tokens that name another party as the one that they were issued to are refused', async () => {
    expect(await verify({ aud: [AUDIENCE] })).toMatchObject({ ok: true });
    expect(await verify({ azp: AUDIENCE })).toMatchObject({ ok: true });
    for (const azp of ['another', '', [AUDIENCE], null]) expect(await verify({ azp })).toEqual(INVALID);
  });

  it.each(['at+jwt', 'logout+jwt', 'application/at+jwt', ''])(
    'ID tokens of the type %p are refused',
    async (typ) => {
      expect(await tokens.verify(await sign(key(), claims(), { typ }))).toEqual(INVALID);
      for (const ours of ['JWT', 'jwt']) {
        expect(await tokens.verify(await sign(key(), claims(), { typ: ours }))).toMatchObject({ ok: true });
      }
    },
  );

  it.each<[string, Claims]>([
    ['of another issuer', { iss: 'https://login.example' }],
    ['of an issuer that only begins alike', { iss: `${ISSUER}/` }],
    ['of no issuer', { iss: undefined }],
    ['for another audience', { aud: 'another' }],
    ['for no audience', { aud: undefined }],
    ['without a user', { sub: undefined }],
    ['with an empty user', { sub: '' }],
    ['with a user of 256 characters', { sub: 'u'.repeat(256) }],
    ['with a user that no database can keep', { sub: 'auth0|\0' }],
    ['without an end', { exp: undefined }],
    ['that end at no time', { exp: 'tomorrow' }],
  ])('%s are refused', async (_name, changes) => {
    expect(await verify(changes)).toEqual(INVALID);
  });

  it.each<[string, Claims, string | null]>([
    ['verified', { email: 'Owner@Shop.Example', email_verified: true }, 'owner@shop.example'],
    ['not verified', { email: 'owner@shop.example', email_verified: false }, null],
    ['said to be verified by a text', { email: 'owner@shop.example', email_verified: 'true' }, null],
    ['not said to be verified', { email: 'owner@shop.example' }, null],
    ['no address', { email: 'owner', email_verified: true }, null],
    // A Kelvin sign, whose lower case is an ordinary k.
    [
      'of letters that become others in lower case',
      { email: 'mi\u212ae@shop.example', email_verified: true },
      null,
    ],
    ['no text', { email: 7, email_verified: true }, null],
  ])(
    'name an e-mail address only when it is one that the issuer verified: %s',
    async (_name, changes, email) => {
      expect(await verify(changes)).toMatchObject({ ok: true, value: { subject: 'auth0|owner', email } });
    },
  );

  it('ID tokens are taken for 60 s past their end and before their beginning, and not one more', async () => {
    expect(await verify({ exp: NOW_S - 59 })).toMatchObject({ ok: true });
    expect(await verify({ exp: NOW_S - 60 })).toEqual(INVALID);
    expect(await verify({ nbf: NOW_S + 60 })).toMatchObject({ ok: true });
    expect(await verify({ nbf: NOW_S + 61 })).toEqual(INVALID);
  });

  it('ID tokens unsigned, keyed with the public key, or of another algorithm are refused unasked', async () => {
    const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: 'RS256' })).toString('base64url');
    const body = Buffer.from(JSON.stringify(claims())).toString('base64url');
    const publicKey = await importJWK(key().publicJwk, 'RS256');
    if (publicKey instanceof Uint8Array) throw new TypeError('No public key.');
    for (const format of ['pem', 'der'] as const) {
      const secret = KeyObject.from(publicKey).export({ type: 'spki', format: format as 'pem' });
      const mac = createHmac('sha256', secret).update(`${header}.${body}`).digest('base64url');
      expect(await tokens.verify(`${header}.${body}.${mac}`)).toEqual(INVALID);
    }
    expect(await tokens.verify(new UnsecuredJWT(claims()).encode())).toEqual(INVALID);
    expect(await tokens.verify(await sign(key('PS256'), claims()))).toEqual(INVALID);
    expect(asked).toEqual([]);
  });

  it("signed by another key than the one they name, or changed since, aren't ours", async () => {
    const forged = await sign({ ...(await newIssuerKey('RS256')), kid: 'RS256' }, claims());
    expect(await tokens.verify(forged)).toEqual(INVALID);
    const token = await sign(key(), claims());
    const [header, , signature] = token.split('.');
    const body = Buffer.from(JSON.stringify(claims({ sub: 'auth0|other' }))).toString('base64url');
    expect(await tokens.verify([header, body, signature].join('.'))).toEqual(INVALID);
    expect(await tokens.verify(token.slice(0, -2))).toEqual(INVALID);
    expect(await tokens.verify(token)).toMatchObject({ ok: true });
  });

  it.each([
    ['nothing', ''],
    ['no token', 'abc'],
    ['two parts', 'a.b'],
    ['parts that are no JSON', 'YQ.YQ.YQ'],
    ['five parts', 'a.b.c.d.e'],
    ['a header that is no object', 'MQ.MQ.MQ'],
    ['more than any token holds', 'a'.repeat(8_193)],
  ])('ID tokens that are %s are refused', async (_name, text) => {
    expect(await tokens.verify(text)).toEqual(INVALID);
    expect(asked).toEqual([]);
  });

  it('ID tokens that are spelled otherwise than they were signed are refused', async () => {
    for (const alg of ['RS256', 'ES256', 'EdDSA']) {
      const token = await sign(key(alg), claims());
      for (const other of respelled(token))
        expect([other, await tokens.verify(other)]).toEqual([other, INVALID]);
    }
  });

  it('ID tokens of an unknown key are refused, and are unavailable if the issuer cannot be reached', async () => {
    const token = await sign({ ...key(), kid: 'withdrawn' }, claims());
    expect(await tokens.verify(token)).toEqual(INVALID);
    isAway = true;
    expect(await tokens.verify(token)).toEqual({ ok: false, error: 'unavailable' });
  });

  it('ID tokens are verified once in ten minutes, and never past their end', async () => {
    const token = await sign(key(), claims());
    const short = await sign(key(), claims({ exp: NOW_S + 30 }));
    for (const one of [token, short, token, short])
      expect(await tokens.verify(one)).toMatchObject({ ok: true });
    expect(asked).toHaveLength(2);
    nowMs += 90_000;
    expect(await tokens.verify(short)).toEqual(INVALID);
    expect(await tokens.verify(token)).toMatchObject({ ok: true });
    expect(asked).toHaveLength(3);
    nowMs += 510_000;
    isAway = true;
    expect(await tokens.verify(token)).toEqual({ ok: false, error: 'unavailable' });
  });
});
