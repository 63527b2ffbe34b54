import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';

/** Signing algorithms that the gateway accepts (interface page, section 2). */
export const SIGNING_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;
/** One of `SIGNING_ALGORITHMS`. */
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

/** A private key, as a JSON Web Key. */
export interface IssuerKey extends JWK {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
}

/** One key of each algorithm. */
export function newIssuerKeys(): Promise<readonly IssuerKey[]> {
  return Promise.all(SIGNING_ALGORITHMS.map(newIssuerKey));
}

/** Replaces the file atomically; only its owner may read it. */
export function writeIssuerKeys(file: string, keys: readonly IssuerKey[]): void {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify({ keys }, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}

/** Reads the output of {@link writeIssuerKeys}. */
export function readIssuerKeys(file: string): readonly IssuerKey[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as { keys: readonly IssuerKey[] }).keys;
}

async function newIssuerKey(alg: SigningAlgorithm): Promise<IssuerKey> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg, use: 'sig' };
}
