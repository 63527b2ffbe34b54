import { describe, expect, it } from '@jest/globals';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { respelled } from '../testing/id-tokens.js';
import { RUNTIME_TOKEN_SECONDS, RuntimeTokens, type SigningKey } from './runtime-token.js';

const NOW_MS = Date.UTC(2026, 0, 31, 9, 30);
const ORIGIN = 'https://shop.example';

describe('runtime tokens (interface page, section 2)', () => {
  const oldKey: SigningKey = { kid: 'old', secret: randomBytes(32) };
  const newKey: SigningKey = { kid: 'new', secret: randomBytes(32) };
  const siteId = randomUUID();

  it('hold site, origin and expiry in a signed JWT', async () => {
    const tokens = new RuntimeTokens([oldKey], () => NOW_MS);
    const { token, expiresAtMs } = await tokens.issue(siteId, ORIGIN);
    expect(expiresAtMs).toBe(NOW_MS + RUNTIME_TOKEN_SECONDS * 1_000);
    expect(await tokens.verify(token)).toEqual({ siteId, origin: ORIGIN, expiresAtMs });
    const [head = '', body = '', signature] = token.split('.');
    expect(read(head)).toEqual({ alg: 'HS256', kid: 'old', typ: 'runtime+jwt' });
    expect(read(body)).toMatchObject({ sub: siteId, origin: ORIGIN, exp: expiresAtMs / 1_000 });
    expect(signature).toBe(createHmac('sha256', oldKey.secret).update(`${head}.${body}`).digest('base64url'));
  });

  it('live on when signing keys rotate, and die when their key is taken away', async () => {
    const { token } = await new RuntimeTokens([oldKey], () => NOW_MS).issue(siteId, ORIGIN);
    const rotated = new RuntimeTokens([newKey, oldKey], () => NOW_MS);
    expect((await rotated.verify(token))?.siteId).toBe(siteId);
    const { token: next } = await rotated.issue(siteId, ORIGIN);
    expect(read(next.split('.')[0] ?? '')).toMatchObject({ kid: 'new' });
    const after = new RuntimeTokens([newKey], () => NOW_MS);
    expect(await after.verify(token)).toBeUndefined();
    expect((await after.verify(next))?.siteId).toBe(siteId);
  });

  it('expire to the second, also when they were verified before', async () => {
    let nowMs = NOW_MS;
    const tokens = new RuntimeTokens([oldKey], () => nowMs);
    const { token, expiresAtMs } = await tokens.issue(siteId, ORIGIN);
    await tokens.verify(token);
    nowMs = expiresAtMs - 1;
    expect(tokens.recall(token)?.siteId).toBe(siteId);
    nowMs = expiresAtMs;
    expect(tokens.recall(token)).toBeUndefined();
    expect(await tokens.verify(token)).toBeUndefined();
  });

  it('an expired token names its site, one that was never ours names none', async () => {
    const tokens = new RuntimeTokens([oldKey], () => NOW_MS);
    const expired = { ...claims(), exp: NOW_MS / 1_000 - 1 };
    expect(await tokens.siteOfExpired(forge(HEAD, expired, oldKey.secret))).toBe(siteId);
    expect(await tokens.siteOfExpired(forge(HEAD, expired, newKey.secret))).toBeUndefined();
    expect(await tokens.siteOfExpired(forge(HEAD, claims(), oldKey.secret))).toBeUndefined();
    expect(await tokens.siteOfExpired('not.a.token')).toBeUndefined();
  });

  it('runtime tokens that are spelled otherwise than they were signed are not ours', async () => {
    const tokens = new RuntimeTokens([oldKey], () => NOW_MS);
    const { token } = await tokens.issue(siteId, ORIGIN);
    for (const other of respelled(token))
      expect([other, await tokens.verify(other)]).toEqual([other, undefined]);
    expect(await tokens.verify(token)).toBeDefined();
  });

  it('runtime tokens are remembered only once they were verified', async () => {
    const tokens = new RuntimeTokens([oldKey], () => NOW_MS);
    const { token } = await tokens.issue(siteId, ORIGIN);
    expect(tokens.recall(token)).toBeUndefined();
    await tokens.verify(token);
    expect(tokens.recall(token)).toEqual(await tokens.verify(token));
  });

  it.each([
    ['no algorithm', () => forge({ alg: 'none', kid: 'old', typ: 'runtime+jwt' }, claims(), undefined)],
    [
      'another algorithm',
      () => forge({ alg: 'HS512', kid: 'old', typ: 'runtime+jwt' }, claims(), oldKey.secret),
    ],
    [
      'an unknown key id',
      () => forge({ alg: 'HS256', kid: 'x', typ: 'runtime+jwt' }, claims(), oldKey.secret),
    ],
    ['no key id', () => forge({ alg: 'HS256', typ: 'runtime+jwt' }, claims(), oldKey.secret)],
    [
      'the secret of another key',
      () => forge({ alg: 'HS256', kid: 'old', typ: 'runtime+jwt' }, claims(), newKey.secret),
    ],
    ['another type', () => forge({ alg: 'HS256', kid: 'old', typ: 'JWT' }, claims(), oldKey.secret)],
    ['another audience', () => forge(HEAD, { ...claims(), aud: 'elsewhere' }, oldKey.secret)],
    ['no expiry', () => forge(HEAD, { ...claims(), exp: undefined }, oldKey.secret)],
    ['no origin', () => forge(HEAD, { ...claims(), origin: undefined }, oldKey.secret)],
    ['no site', () => forge(HEAD, { ...claims(), sub: undefined }, oldKey.secret)],
    ['no token at all', () => 'not.a.token'],
    ['too many characters', () => `${'a'.repeat(3_000)}.b.c`],
  ])('runtime tokens are not believed with %s', async (_name, forged) => {
    const tokens = new RuntimeTokens([oldKey], () => NOW_MS);
    expect(await tokens.verify(forged())).toBeUndefined();
  });

  it('runtime tokens are believed when forged with the right key: the forgery itself is sound', async () => {
    const tokens = new RuntimeTokens([oldKey], () => NOW_MS);
    expect((await tokens.verify(forge(HEAD, claims(), oldKey.secret)))?.siteId).toBe(siteId);
  });

  const HEAD = { alg: 'HS256', kid: 'old', typ: 'runtime+jwt' };

  function claims(): Record<string, unknown> {
    return { sub: siteId, origin: ORIGIN, aud: 'truetally-runtime', exp: NOW_MS / 1_000 + 60 };
  }

  function forge(head: object, body: object, secret: Uint8Array | undefined): string {
    const text = `${write(head)}.${write(body)}`;
    const hash = 'alg' in head && head.alg === 'HS512' ? 'sha512' : 'sha256';
    return `${text}.${secret === undefined ? '' : createHmac(hash, secret).update(text).digest('base64url')}`;
  }
});

function write(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function read(part: string): unknown {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}
