/**
 * What this gateway uses of passport-jwt 4. The published types know neither the replaceable verifier nor keys other
 * than text, and bring Express's request with them.
 */
declare module 'passport-jwt' {
  export interface VerifierOptions {
    readonly issuer: string;
    readonly audience: string;
    readonly algorithms: readonly string[];
    readonly clockTolerance: number;
    readonly clockTimestamp: number;
  }

  export interface StrategyOptions<Key> {
    readonly jwtFromRequest: () => string;
    readonly secretOrKeyProvider: (
      request: object,
      token: string,
      done: (fault: unknown, key?: Key) => void,
    ) => void;
    readonly issuer: string;
    readonly audience: string;
    readonly algorithms: readonly string[];
    readonly jsonWebTokenOptions: Pick<VerifierOptions, 'clockTolerance' | 'clockTimestamp'>;
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

    authenticate(request: object): void;
    success: (user: unknown) => void;
    fail: (fault: unknown) => void;
    error: (fault: unknown) => void;
  }
}
