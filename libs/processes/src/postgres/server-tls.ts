import { chmod, chown, copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CertificateFiles } from '../tls/authority.js';
import { type Account, postgresAccount } from './account.js';

export interface ServerTls extends CertificateFiles {
  /** The authority of the certificate, for clients. */
  readonly caFile: string;
}

const [CERTIFICATE, KEY] = ['server.crt', 'server.key'];

export const TLS_FLAGS = ['-c', 'ssl=on'] as const;

/** Installs the certificate, and forbids plain connections over TCP. */
export async function installCertificate(
  dataDir: string,
  { certFile, keyFile }: CertificateFiles,
  account: Account | null,
): Promise<void> {
  for (const [from, name] of [
    [certFile, CERTIFICATE],
    [keyFile, KEY],
  ] as const) {
    const place = join(dataDir, name);
    await copyFile(from, place);
    // Postgres refuses a key that others may read.
    await chmod(place, 0o600);
    if (account !== null) await chown(place, account.uid, account.gid);
  }
  const rules = join(dataDir, 'pg_hba.conf');
  const written = await readFile(rules, 'utf8');
  await writeFile(rules, written.replaceAll(/^host\b/gm, 'hostssl'));
}

/** The URL of a client that verifies this server. */
export function onlyVerified(plainUrl: string, { caFile }: ServerTls): string {
  const url = new URL(plainUrl);
  url.searchParams.set('sslmode', 'verify-full');
  url.searchParams.set('sslrootcert', caFile);
  return url.href;
}

/** Replaces the certificate of a running Postgres; new connections get the new one. */
export async function changeCertificate(
  postgres: { readonly dataDir: string; kill(signal: NodeJS.Signals): Promise<void> },
  files: CertificateFiles,
): Promise<void> {
  await installCertificate(postgres.dataDir, files, postgresAccount());
  await postgres.kill('SIGHUP');
}
