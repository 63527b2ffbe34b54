/**
 * The used part of passport-jwt 4. The published types lack the replaceable verifier and non-text keys, and
 * depend on Express' request.
 */
declare module 'passport-jwt' {
  export interface VerifierOptions {
    readonly issuer: string;
    readonly audience: string;
    readonly algorithms: readonly string[];
    readonly clockTolerance: number;
  }

  /** Takes the place of a request: the caller has already found the token and its key. */
  export interface TokenRequest<Key> {
    readonly token: string;
    readonly verification: Key;
  }

  export interface StrategyOptions<Key> {
    readonly jwtFromRequest: (request: TokenRequest<Key>) => string;
    readonly secretOrKeyProvider: (
      request: TokenRequest<Key>,
      token: string,
      done: (fault: unknown, key: Key) => void,
    ) => void;
    readonly issuer: string;
    readonly audience: string;
    readonly algorithms: readonly string[];
    readonly jsonWebTokenOptions: Pick<VerifierOptions, 'clockTolerance'>;
  }

  export class Strategy<Key, Payload> {
    static JwtVerifier: (
      token: string,
      key: never,
      options: VerifierOptions,
      done: (fault: unknown, payload?: unknown) => void,
    ) => void;

    constructor(
      options: StrategyOptions<Key>,
      verify: (payload: Payload, done: (fault: unknown, user?: unknown, info?: unknown) => void) => void,
    );

    authenticate(request: TokenRequest<Key>): void;
    success: (user: unknown) => void;
    fail: (fault: unknown) => void;
    error: (fault: unknown) => void;
  }
}
