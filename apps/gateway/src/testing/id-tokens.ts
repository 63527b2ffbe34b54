import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CompactSign, exportJWK, generateKeyPair, type JWK } from 'jose';

export const AUDIENCE = 'dashboard';

/** Claims of a token, valid or not; undefined ones are omitted. */
export type Claims = Readonly<Record<string, unknown>>;

/** A key pair of the issuer's. */
export interface IssuerKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

type CryptoKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

export async function newIssuerKey(alg: string, kid = alg): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export function sign(
  { alg, kid, privateKey }: IssuerKey,
  claims: Claims,
  header: { readonly typ?: string } = {},
): Promise<string> {
  const body = Buffer.from(JSON.stringify(claims));
  return new CompactSign(body).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A token with every other last character, of which some decode to the same bytes, and with padding. */
export function respelled(token: string): readonly string[] {
  const others = Array.from(LETTERS).filter((letter) => !token.endsWith(letter));
  return [...others.map((letter) => token.slice(0, -1) + letter), `${token}=`, `${token}==`];
}

/** An issuer whose keys and answers a test can change while it runs. */
export class FakeIssuer {
  keys: readonly IssuerKey[] = [];
  /** The issuer in the discovery document; undefined: the issuer itself. */
  discoveredIssuer: string | undefined;
  /** 200 is normal operation. */
  status = 200;
  readonly requests: string[] = [];

  private readonly server = createServer((request, response) => {
    this.requests.push(request.url ?? '');
    response.statusCode = this.status;
    response.setHeader('content-type', 'application/json');
    const isDiscovery = request.url === '/.well-known/openid-configuration';
    response.end(
      JSON.stringify(isDiscovery ? this.discovery : { keys: this.keys.map((key) => key.publicJwk) }),
    );
  });

  static async start(): Promise<FakeIssuer> {
    const issuer = new FakeIssuer();
    await new Promise<void>((resolve) => issuer.server.listen(0, '127.0.0.1', resolve));
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** How often its keys were fetched. */
  get fetches(): number {
    return this.requests.filter((path) => path === '/keys').length;
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => void this.server.close(() => resolve()));
  }

  private get discovery(): object {
    return { issuer: this.discoveredIssuer ?? this.url, jwks_uri: `${this.url}/keys` };
  }
}
