import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { importJWK, type JWK, SignJWT } from 'jose';
import { Grants, type Grant, newToken, type SignIn } from './grants.js';
import { type IssuerKey, SIGNING_ALGORITHMS } from './issuer-keys.js';
import { emailOf, isLocalPerson, LOCAL_PEOPLE } from './people.js';
import { messagePage, signInPage } from './sign-in-page.js';

export interface IssuerSettings {
  /** The `iss` of its tokens, without a slash at its end. */
  readonly url: string;
  readonly keys: readonly IssuerKey[];
  readonly clientId: string;
  /** Whose `/dashboard/callback` may receive a code. */
  readonly dashboardOrigins: readonly string[];
}

const CALLBACK = '/dashboard/callback';
const SIGNED_OUT = '/dashboard/';
const COOKIE = 'truetally_local_session';
const BODY_BYTES = 16 * 1024;
const ACCESS_TOKEN_SECONDS = 86_400;
const ID_TOKEN_SECONDS = { min: 60, max: 86_400, usual: 3600 };
const MAX_SESSIONS = 1000;
const MS_PER_SECOND = 1000;

/**
 * An OpenID Connect issuer for a developer's machine (interface page, section 12): authorization code with PKCE for one
 * public client, a session of its own, rotating refresh tokens. Anybody may sign in as anybody.
 */
export function issuerServer(settings: IssuerSettings): Server {
  const issuer = new LocalIssuer(settings);
  return createServer((request, response) => {
    issuer.answer(request, response).catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      send(response, 500, 'text/plain', 'The local issuer has a bug; its log says more.');
    });
  });
}

class LocalIssuer {
  private readonly grants = new Grants();
  private readonly sessions = new Map<string, SignIn>();

  constructor(private readonly settings: IssuerSettings) {}

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.settings.url);
    this.allowOrigin(request, response);
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    switch (`${request.method === 'HEAD' ? 'GET' : request.method} ${pathname}`) {
      case 'GET /.well-known/openid-configuration':
        return sendJson(response, 200, this.discovery());
      case 'GET /jwks':
        return sendJson(response, 200, { keys: this.settings.keys.map(publicHalf) });
      case 'GET /authorize':
        return this.authorize(request, response, searchParams, undefined);
      case 'POST /authorize':
        return this.authorize(request, response, searchParams, new URLSearchParams(await bodyOf(request)));
      case 'POST /token':
        return this.token(new URLSearchParams(await bodyOf(request)), response);
      case 'GET /end_session':
        return this.endSession(request, response, searchParams);
      default:
        return send(response, 404, 'text/plain', 'Not found.');
    }
  }

  private discovery(): object {
    const { url } = this.settings;
    return {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      end_session_endpoint: `${url}/end_session`,
      jwks_uri: `${url}/jwks`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [...SIGNING_ALGORITHMS],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      scopes_supported: ['openid', 'email', 'profile', 'offline_access'],
      prompt_values_supported: ['none', 'login'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  /** @param form what the page has sent; undefined when it is not shown yet */
  private authorize(
    request: IncomingMessage,
    response: ServerResponse,
    query: URLSearchParams,
    form: URLSearchParams | undefined,
  ): void {
    const { clientId, dashboardOrigins } = this.settings;
    const redirectUri = query.get('redirect_uri') ?? '';
    const isKnown = dashboardOrigins.some((origin) => redirectUri === origin + CALLBACK);
    if (query.get('client_id') !== clientId || !isKnown) {
      const text = `The request must name the client ${clientId} and the callback of a dashboard: ${dashboardOrigins.join(', ')}.`;
      return send(response, 400, 'text/html', messagePage('This sign-in cannot be answered', text));
    }
    const reply = (members: Readonly<Record<string, string>>): void => {
      const target = new URL(redirectUri);
      const state = query.get('state');
      const all = { ...members, ...(state !== null && { state }), iss: this.settings.url };
      for (const [name, value] of Object.entries(all)) target.searchParams.set(name, value);
      redirect(response, target.href);
    };
    if (query.get('response_type') !== 'code') return reply({ error: 'unsupported_response_type' });
    const challenge = query.get('code_challenge') ?? '';
    if (query.get('code_challenge_method') !== 'S256' || challenge === '') {
      return reply({ error: 'invalid_request', error_description: 'code_challenge_method must be S256' });
    }
    const signIn = this.signInOf(request, query, form);
    if (signIn === 'ask') {
      return send(response, 200, 'text/html', signInPage(`/authorize?${query}`));
    }
    if (signIn === 'nobody') return reply({ error: 'login_required' });
    this.begin(response, signIn);
    const grant = { signIn, nonce: query.get('nonce') ?? undefined };
    reply({ code: this.grants.newCode(grant, redirectUri, challenge) });
  }

  private signInOf(
    request: IncomingMessage,
    query: URLSearchParams,
    form: URLSearchParams | undefined,
  ): SignIn | 'ask' | 'nobody' {
    const prompt = query.get('prompt');
    const session = this.sessions.get(cookieOf(request));
    if (form !== undefined) return newSignIn(form.get('person'), form) ?? 'ask';
    if (prompt === 'none') return session ?? 'nobody';
    if (prompt === 'login') return 'ask';
    return newSignIn(query.get('login_hint'), query) ?? session ?? 'ask';
  }

  private begin(response: ServerResponse, signIn: SignIn): void {
    const id = newToken();
    this.sessions.set(id, signIn);
    const [oldest] = this.sessions.keys();
    if (this.sessions.size > MAX_SESSIONS && oldest !== undefined) this.sessions.delete(oldest);
    response.setHeader('Set-Cookie', `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Lax`);
  }

  private async token(form: URLSearchParams, response: ServerResponse): Promise<void> {
    const type = form.get('grant_type');
    if (form.get('client_id') !== this.settings.clientId) return refuse(response, 'invalid_client');
    if (type === 'authorization_code') {
      const [code, redirectUri, verifier] = ['code', 'redirect_uri', 'code_verifier'].map(
        (name) => form.get(name) ?? '',
      );
      const grant = this.grants.redeemCode(String(code), String(redirectUri), String(verifier));
      if (grant === undefined) return refuse(response, 'invalid_grant');
      return sendJson(response, 200, await this.tokens(grant, this.grants.newRefreshToken(grant), true));
    }
    if (type === 'refresh_token') {
      const rotated = this.grants.rotate(form.get('refresh_token') ?? '');
      if (rotated === undefined) return refuse(response, 'invalid_grant');
      const { grant, next } = rotated;
      return sendJson(response, 200, await this.tokens(grant, next, !grant.signIn.refreshWithoutIdToken));
    }
    return refuse(response, 'unsupported_grant_type');
  }

  private async tokens(grant: Grant, refreshToken: string, withIdToken: boolean): Promise<object> {
    return {
      access_token: newToken(),
      token_type: 'Bearer',
      // Longer than the ID token: a client must time the one that it sends.
      expires_in: ACCESS_TOKEN_SECONDS,
      refresh_token: refreshToken,
      scope: 'openid email profile offline_access',
      ...(withIdToken && { id_token: await this.idToken(grant) }),
    };
  }

  private async idToken({ signIn, nonce }: Grant): Promise<string> {
    const [key] = this.settings.keys;
    if (key === undefined) throw new Error('The issuer has no key.');
    const now = Math.floor(Date.now() / MS_PER_SECOND);
    const { person, at, idTokenSeconds } = signIn;
    const claims = {
      ...(nonce !== undefined && { nonce }),
      auth_time: at,
      email: emailOf(person),
      email_verified: true,
      name: LOCAL_PEOPLE[person],
    };
    return new SignJWT(claims)
      .setProtectedHeader({ alg: key.alg, typ: 'JWT', kid: key.kid })
      .setIssuer(this.settings.url)
      .setAudience(this.settings.clientId)
      .setSubject(person)
      .setIssuedAt(now)
      .setExpirationTime(now + idTokenSeconds)
      .sign(await importJWK(key, key.alg));
  }

  private endSession(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): void {
    const id = cookieOf(request);
    const session = this.sessions.get(id);
    if (session !== undefined) this.grants.end(session.person);
    this.sessions.delete(id);
    response.setHeader('Set-Cookie', `${COOKIE}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`);
    const target = query.get('post_logout_redirect_uri') ?? '';
    if (!this.settings.dashboardOrigins.some((origin) => target === origin + SIGNED_OUT)) {
      return send(response, 200, 'text/html', messagePage('Signed out', 'Nobody is signed in here.'));
    }
    const state = query.get('state');
    redirect(response, state === null ? target : `${target}?state=${encodeURIComponent(state)}`);
  }

  private allowOrigin(request: IncomingMessage, response: ServerResponse): void {
    const { origin } = request.headers;
    response.setHeader('Vary', 'Origin');
    if (origin === undefined || !this.settings.dashboardOrigins.includes(origin)) return;
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Allow-Headers', 'content-type');
    response.setHeader('Access-Control-Allow-Methods', 'GET, POST');
  }
}

function newSignIn(person: string | null, choices: URLSearchParams): SignIn | undefined {
  if (!isLocalPerson(person)) return undefined;
  const { min, max, usual } = ID_TOKEN_SECONDS;
  const seconds = Number(choices.get('id_token_seconds') ?? usual);
  return {
    person,
    at: Math.floor(Date.now() / MS_PER_SECOND),
    idTokenSeconds: Number.isInteger(seconds) ? Math.min(Math.max(seconds, min), max) : usual,
    refreshWithoutIdToken: choices.get('refresh_without_id_token') === 'true',
  };
}

function publicHalf({ kty, crv, x, y, n, e, alg, kid }: IssuerKey): JWK {
  return { kty, crv, x, y, n, e, alg, kid, use: 'sig' } as JWK;
}

function cookieOf({ headers }: IncomingMessage): string {
  const pairs = (headers.cookie ?? '').split(/;\s*/).map((pair) => pair.split('='));
  return pairs.find(([name]) => name === COOKIE)?.[1] ?? '';
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > BODY_BYTES) return '';
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

function refuse(response: ServerResponse, error: string): void {
  sendJson(response, 400, { error });
}

function redirect(response: ServerResponse, target: string): void {
  response.writeHead(303, { Location: target, 'Cache-Control': 'no-store' }).end();
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  send(response, status, 'application/json', JSON.stringify(body));
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response
    .writeHead(status, { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'no-store' })
    .end(body);
}
