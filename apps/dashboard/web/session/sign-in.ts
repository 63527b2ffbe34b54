import * as oauth from 'oauth4webapi';
import {
  demandStorage,
  forgetSignedOut,
  isSignedOut,
  keepTransaction,
  mayAskSilently,
  noteSignedOut,
  takeTransaction,
} from './session-store.js';

/** `GET /dashboard/config.json`. */
export interface PageConfiguration {
  readonly api_base_url: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly scope: string;
  readonly version: string;
}

/** The tokens of who is signed in: in this page's memory and nowhere else. */
export interface Tokens {
  readonly idToken: string;
  readonly refreshToken: string | undefined;
  readonly claims: oauth.IDToken;
}

/** What a refresh leaves: the tokens to go on with, whether their ID token is a new one or not. */
export interface Refreshed {
  readonly tokens: Tokens;
  readonly isRenewed: boolean;
}

/** How a page begins: with somebody, or it leaves for the issuer. */
export type Beginning =
  { readonly kind: 'signed-in'; readonly tokens: Tokens } | { readonly kind: 'leaving' };

const CALLBACK = '/dashboard/callback';
export const HOME = '/dashboard/';
const SILENCE_MS = 10_000;
const client = (configuration: PageConfiguration): oauth.Client => ({ client_id: configuration.client_id });

/** The issuer and its client, for the life of the page. */
export class SignIn {
  private constructor(
    private readonly configuration: PageConfiguration,
    private readonly server: oauth.AuthorizationServer,
    private readonly silenceMs: number,
  ) {}

  /**
   * @param silenceMs after which a renewal of tokens without an answer is given up, and may be tried again
   * @throws when the issuer does not answer
   */
  static async open(configuration: PageConfiguration, silenceMs = SILENCE_MS): Promise<SignIn> {
    return new SignIn(configuration, await discover(configuration), silenceMs);
  }

  /** Reads the callback, or asks the issuer who is signed in. */
  async begin(): Promise<Beginning> {
    demandStorage();
    if (location.pathname === CALLBACK) return this.finish();
    const hint = hinted();
    const address = location.pathname + location.search + location.hash;
    const isHinted = hint !== undefined;
    await this.leave({ address: isHinted ? HOME : address, isSilent: !isHinted, hint });
    return { kind: 'leaving' };
  }

  /**
   * Asks the issuer again, without its page; this page comes back at its address.
   * @returns false when it has just answered: what it gave is refused, or has ended by this clock. And behind a sign-out, which
   *   may end what this has waited for: an issuer that has not heard of it yet would sign in the same user anew
   * @throws when the issuer is away: whoever is sent there has the browser's own error page in place of this one
   */
  async askSilently(): Promise<boolean> {
    await this.find();
    if (isSignedOut() || !mayAskSilently()) return false;
    await this.leave({ address: location.pathname + location.search, isSilent: true, hint: undefined });
    return true;
  }

  /**
   * A refresh token is used once: an issuer that rotates them ends all of them when one comes again. So the new one is kept also
   * of an answer without an ID token (OpenID Connect, section 12.2), and one that was refused is forgotten.
   * @throws when the issuer is away
   */
  async refresh(tokens: Tokens): Promise<Refreshed> {
    const spent = { tokens: { ...tokens, refreshToken: undefined }, isRenewed: false };
    const { refreshToken } = tokens;
    if (refreshToken === undefined) return spent;
    try {
      const answer = await this.refreshAnswer(refreshToken);
      const claims = oauth.getValidatedIdTokenClaims(answer);
      const kept = { ...tokens, refreshToken: answer.refresh_token ?? refreshToken };
      if (answer.id_token === undefined || claims === undefined) return { tokens: kept, isRenewed: false };
      // Of somebody else: nothing of the answer may be used.
      if (claims.sub !== tokens.claims.sub) return spent;
      return { tokens: { ...kept, idToken: answer.id_token, claims }, isRenewed: true };
    } catch (error) {
      if (error instanceof oauth.ResponseBodyError) return spent;
      throw error;
    }
  }

  private async refreshAnswer(refreshToken: string): Promise<oauth.TokenEndpointResponse> {
    const [server, page] = [this.server, client(this.configuration)];
    const options = {
      ...insecureOnLoopback(this.configuration),
      signal: AbortSignal.timeout(this.silenceMs),
    };
    const response = await oauth.refreshTokenGrantRequest(server, page, oauth.None(), refreshToken, options);
    return oauth.processRefreshTokenResponse(server, page, response);
  }

  /**
   * Ends the session at the issuer; comes back to the page's home. Where the issuer is away, or has no such end, only the page
   * forgets who was signed in, and says so: whoever is sent there has the browser's own error page in place of this one.
   */
  async signOut(tokens: Tokens): Promise<void> {
    noteSignedOut(false);
    const { end_session_endpoint: end } = this.server;
    const found = end === undefined ? undefined : await this.find().catch(() => undefined);
    if (end === undefined || found === undefined) return location.replace(HOME);
    noteSignedOut(true);
    const target = new URL(end);
    target.searchParams.set('id_token_hint', tokens.idToken);
    target.searchParams.set('client_id', this.configuration.client_id);
    target.searchParams.set('post_logout_redirect_uri', location.origin + HOME);
    location.replace(target);
  }

  /** @throws when the issuer is away */
  private find(): Promise<oauth.AuthorizationServer> {
    return discover(this.configuration, AbortSignal.timeout(this.silenceMs));
  }

  private async leave(to: {
    readonly address: string;
    readonly isSilent: boolean;
    readonly hint: string | undefined;
  }): Promise<void> {
    const verifier = oauth.generateRandomCodeVerifier();
    const transaction = {
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      verifier,
      address: to.address,
      isSilent: to.isSilent,
    };
    keepTransaction(transaction);
    const target = new URL(String(this.server.authorization_endpoint));
    const members = {
      client_id: this.configuration.client_id,
      redirect_uri: location.origin + CALLBACK,
      response_type: 'code',
      scope: this.configuration.scope,
      state: transaction.state,
      nonce: transaction.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(to.isSilent && { prompt: 'none' }),
      ...(to.hint !== undefined && { login_hint: to.hint }),
    };
    for (const [name, value] of Object.entries(members)) target.searchParams.set(name, value);
    location.replace(target);
  }

  private async finish(): Promise<Beginning> {
    const transaction = takeTransaction();
    const parameters = new URLSearchParams(location.search);
    // No code stays in the address or the history, whatever becomes of it.
    history.replaceState(null, '', transaction?.address ?? HOME);
    if (transaction === undefined)
      throw new Error('This sign-in was begun in another tab, or finished before.');
    if (transaction.isSilent && parameters.has('error') && parameters.get('state') === transaction.state) {
      await this.leave({ address: transaction.address, isSilent: false, hint: undefined });
      return { kind: 'leaving' };
    }
    const { server, configuration } = this;
    const validated = oauth.validateAuthResponse(
      server,
      client(configuration),
      parameters,
      transaction.state,
    );
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client(configuration),
      oauth.None(),
      validated,
      location.origin + CALLBACK,
      transaction.verifier,
      insecureOnLoopback(configuration),
    );
    const expected = { expectedNonce: transaction.nonce, requireIdToken: true };
    const answer = await oauth
      .processAuthorizationCodeResponse(server, client(configuration), response, expected)
      .catch((error: unknown) => {
        throw namingClock(error);
      });
    const claims = oauth.getValidatedIdTokenClaims(answer);
    if (answer.id_token === undefined || claims === undefined)
      throw new Error('The issuer gave no ID token.');
    forgetSignedOut();
    return {
      kind: 'signed-in',
      tokens: { idToken: answer.id_token, refreshToken: answer.refresh_token, claims },
    };
  }
}

/** Whether this tab is signed out, and its address asks for nobody: then the issuer is not asked either. */
export function staysSignedOut(): boolean {
  return isSignedOut() && location.pathname !== CALLBACK && hinted() === undefined;
}

/** As whom the address asks to sign in. */
function hinted(): string | undefined {
  return new URLSearchParams(location.search).get('login_hint') ?? undefined;
}

/** Tokens are timed by the reader's clock: where it is wrong no other try helps, and it is to be set. */
export function namingClock(error: unknown): unknown {
  if (!(error instanceof oauth.OperationProcessingError) || error.code !== oauth.JWT_TIMESTAMP_CHECK) {
    return error;
  }
  const clock = `This device’s clock says ${new Date().toUTCString()}, and by it a new sign-in is not valid.`;
  return new Error(`${clock} Set the clock, and try again.`);
}

/** @throws when the issuer does not answer */
async function discover(
  configuration: PageConfiguration,
  signal?: AbortSignal,
): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(configuration.issuer);
  const options = { ...insecureOnLoopback(configuration), ...(signal && { signal }) };
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
}

/** An issuer on this machine has no TLS. */
function insecureOnLoopback({ issuer }: PageConfiguration) {
  const { protocol, hostname } = new URL(issuer);
  const isLoopback = hostname === '127.0.0.1' || hostname === 'localhost' || hostname === '[::1]';
  return { [oauth.allowInsecureRequests]: protocol === 'http:' && isLoopback };
}
