import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { isIssuerTold } from './session-store.js';
import { Session } from './session.js';
import { namingClock, type PageConfiguration, SignIn, type Tokens } from './sign-in.js';

const CLIENT = 'dashboard';
const SILENCE_MS = 100;
const NO_ANSWER = {};
const json = { 'Content-Type': 'application/json' };

describe('renewing the tokens of a page', () => {
  let server: Server;
  let issuer: string;
  let answers: object[];
  let asked: (string | null)[];
  let configuration: PageConfiguration;
  let signIn: SignIn;
  let impatient: SignIn;
  let isAway: boolean;
  let endsSessions: boolean;

  beforeEach(async () => {
    [answers, asked, isAway, endsSessions] = [[], [], false, false];
    server = createServer((request, response) => {
      if (isAway) return response.destroy();
      if (request.method === 'GET') {
        response.writeHead(200, json).end(
          JSON.stringify({
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
            ...(endsSessions && { end_session_endpoint: `${issuer}/end` }),
          }),
        );
        return undefined;
      }
      void text(request).then((form) => {
        asked.push(new URLSearchParams(form).get('refresh_token'));
        const answer = answers.shift() ?? { error: 'invalid_grant' };
        if (answer === NO_ANSWER) return;
        response.writeHead('error' in answer ? 400 : 200, json).end(JSON.stringify(answer));
      });
      return undefined;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const addresses = { api_base_url: '/api/v1', issuer };
    configuration = { ...addresses, client_id: CLIENT, scope: 'openid', version: '1' };
    signIn = await SignIn.open(configuration);
    impatient = await SignIn.open(configuration, SILENCE_MS);
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const claimsOf = (sub: string, exp = 4_102_444_800) => ({ iss: issuer, aud: CLIENT, sub, iat: 1, exp });

  function tokens(): Tokens {
    return { idToken: 'the first', refreshToken: 'one', claims: claimsOf('ann') };
  }

  /** Its signature is not looked at, as it comes from the issuer itself. */
  function idToken(sub: string, exp?: number): string {
    return [{ alg: 'RS256' }, claimsOf(sub, exp), 'signature']
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
  }

  const granted = (changes: object) => ({ access_token: 'a', token_type: 'Bearer', ...changes });

  it('a refresh token of an answer without an ID token is kept, and the one before it is not used again', async () => {
    answers = [granted({ refresh_token: 'two' }), granted({ id_token: idToken('ann') })];
    const first = await signIn.refresh(tokens());
    expect(first).toEqual({ isRenewed: false, tokens: { ...tokens(), refreshToken: 'two' } });
    const second = await signIn.refresh(first.tokens);
    expect(second).toMatchObject({
      isRenewed: true,
      tokens: { refreshToken: 'two', idToken: idToken('ann') },
    });
    expect(asked).toEqual(['one', 'two']);
  });

  it.each([
    ['refused', () => ({ error: 'invalid_grant' })],
    [
      'answered with the ID token of somebody else',
      () => granted({ id_token: idToken('bob'), refresh_token: 'two' }),
    ],
  ])(
    'a refresh token that is %s is not tried again, and nothing of the answer is used',
    async (_, answer) => {
      answers = [answer()];
      const { isRenewed, tokens: kept } = await signIn.refresh(tokens());
      expect([isRenewed, kept]).toEqual([false, { ...tokens(), refreshToken: undefined }]);
      await signIn.refresh(kept);
      expect(asked).toEqual(['one']);
    },
  );

  it('a token that has ended by this clock names the clock, and every other failure is said as it is', async () => {
    answers = [granted({ id_token: idToken('ann', 1_000) })];
    const error: unknown = await signIn.refresh(tokens()).catch((failed: unknown) => failed);
    expect(String(namingClock(error))).toMatch(/^Error: This device’s clock says .* GMT, .* Set the clock/);
    const other = new Error('another');
    expect(namingClock(other)).toBe(other);
  });

  it('an issuer that does not answer a renewal is asked again by the next one', async () => {
    answers = [NO_ANSWER, granted({ id_token: idToken('ann') })];
    await expect(impatient.refresh(tokens())).rejects.toThrow();
    expect(await signIn.refresh(tokens())).toMatchObject({ isRenewed: true });
    expect(asked).toEqual(['one', 'one']);
  });

  it('a browser that keeps nothing for the page is named before anybody is sent to the issuer', async () => {
    const refuse = (): never => {
      throw new DOMException('Denied.', 'SecurityError');
    };
    Object.defineProperty(globalThis, 'sessionStorage', { configurable: true, get: refuse });
    await expect(signIn.begin()).rejects.toThrow('This browser keeps nothing for this page');
    Reflect.deleteProperty(globalThis, 'sessionStorage');
  });

  /** What a session uses of a page. @returns addresses that it has left for, and what takes the page away again */
  function openPage() {
    const [kept, left] = [new Map<string, string>(), [] as URL[]];
    const page = {
      window: { addEventListener: () => undefined, setTimeout: () => 0, clearTimeout: () => undefined },
      sessionStorage: {
        getItem: (key: string) => kept.get(key) ?? null,
        setItem: (key: string, value: string) => kept.set(key, value),
        clear: () => kept.clear(),
      },
      location: { pathname: '/', search: '', origin: issuer, replace: (to: URL) => left.push(to) },
    };
    Object.assign(globalThis, page);
    const close = (): void => {
      for (const name of Object.keys(page)) Reflect.deleteProperty(globalThis, name);
    };
    return { left, close };
  }

  it('a page that shows something once leaves for the issuer when that is closed, and not before', async () => {
    const { left, close } = openPage();
    const session = new Session(signIn, { ...tokens(), claims: claimsOf('ann', 2) }, () => undefined);
    const [closeFirst, closeSecond] = [session.stay(), session.stay()];
    const renewed = session.idToken();
    await eventually(() => asked.length > 0);
    closeFirst();
    expect(await Promise.race([renewed, setImmediate('waits')])).toBe('waits');
    expect(left).toEqual([]);
    closeSecond();
    await eventually(() => left.length > 0);
    expect(left[0]?.pathname).toBe('/authorize');
    session.signOut();
    close();
  });

  it('a sign-out closes what a page shows once, and nobody is signed in anew behind it', async () => {
    endsSessions = true;
    const ending = await SignIn.open(configuration);
    const { left, close } = openPage();
    const session = new Session(ending, tokens(), () => undefined);
    const closeShown = session.stay();
    const isLeaving = session.askAgain();
    session.signOut();
    closeShown();
    expect(await isLeaving).toBe(false);
    await eventually(() => left.length > 0);
    expect(left.map(({ pathname }) => pathname)).toEqual(['/end']);
    close();
  });

  it('a page without a refresh token is not left for an issuer that is away, and leaves once it answers', async () => {
    const { left, close } = openPage();
    isAway = true;
    const spent = { ...tokens(), refreshToken: undefined, claims: claimsOf('ann', 2) };
    const session = new Session(signIn, spent, () => undefined);
    await expect(session.idToken()).rejects.toThrow();
    expect(await session.askAgain()).toBe(false);
    expect(left).toEqual([]);
    isAway = false;
    expect(await session.askAgain()).toBe(true);
    expect(left[0]?.pathname).toBe('/authorize');
    session.signOut();
    close();
  });

  it('a sign-out ends the session at the issuer, and goes no further than the page’s home while that is away', async () => {
    endsSessions = true;
    const ending = await SignIn.open(configuration);
    const { left, close } = openPage();
    await ending.signOut(tokens());
    expect(isIssuerTold()).toBe(true);
    isAway = true;
    await ending.signOut(tokens());
    expect(isIssuerTold()).toBe(false);
    expect(left.map((to) => new URL(to, issuer).pathname)).toEqual(['/end', '/dashboard/']);
    close();
  });
});
