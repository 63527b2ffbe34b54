import { chmod, chown, copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CertificateFiles } from '../tls/authority.js';
import { type Account, postgresAccount } from './account.js';

export interface ServerTls extends CertificateFiles {
  /** For clients: whom the certificate comes from. */
  readonly caFile: string;
}

const [CERTIFICATE, KEY] = ['server.crt', 'server.key'];

export const TLS_FLAGS = ['-c', 'ssl=on'] as const;

/** Puts the certificate where Postgres looks for it, and lets nobody in over a plain connection. */
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

/** The URL of a client that speaks to nobody else. */
export function onlyVerified(plainUrl: string, { caFile }: ServerTls): string {
  const url = new URL(plainUrl);
  url.searchParams.set('sslmode', 'verify-full');
  url.searchParams.set('sslrootcert', caFile);
  return url.href;
}

/** Puts another certificate into a Postgres that runs; it shows it to the connections that begin from then on. */
export async function changeCertificate(
  postgres: { readonly dataDir: string; kill(signal: NodeJS.Signals): Promise<void> },
  files: CertificateFiles,
): Promise<void> {
  await installCertificate(postgres.dataDir, files, postgresAccount());
  await postgres.kill('SIGHUP');
}
