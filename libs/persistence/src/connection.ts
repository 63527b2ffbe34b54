import { readFileSync } from 'node:fs';
import { checkServerIdentity, type ConnectionOptions, type PeerCertificate } from 'node:tls';

/** The address of Postgres and its TLS settings, for every pool and client of the product. */
export interface Connection {
  readonly connectionString: string;
  /** False is a plain connection. */
  readonly ssl: ConnectionOptions | false;
}

/**
 * With `sslmode=verify-full` every connection uses TLS and verifies the host of the URL, by the authority in
 * `sslrootcert` or those that the system trusts. The driver does not read these parameters: it would compare an
 * IP address with the name `localhost`, and obeys `PGSSLMODE`.
 * @throws RangeError for another mode; Error for an authority that cannot be read
 */
export function connectionOf(databaseUrl: string): Connection {
  const url = new URL(databaseUrl);
  const mode = url.searchParams.get('sslmode') ?? 'disable';
  const caFile = url.searchParams.get('sslrootcert');
  for (const name of [...url.searchParams.keys()]) if (name.startsWith('ssl')) url.searchParams.delete(name);
  if (mode === 'disable') return { connectionString: url.href, ssl: false };
  if (mode !== 'verify-full') throw new RangeError(`sslmode must be verify-full or disable, not ${mode}`);
  // An IPv6 address has brackets in a URL, and none in a certificate.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const identity = {
    checkServerIdentity: (_: string, peer: PeerCertificate) => checkServerIdentity(host, peer),
  };
  if (caFile === null) return { connectionString: url.href, ssl: identity };
  let newest = readFileSync(caFile);
  return {
    connectionString: url.href,
    ssl: {
      ...identity,
      // Read for each connection, so that a renewed authority needs no restart.
      get ca() {
        newest = readOr(newest, caFile);
        return newest;
      },
    },
  };
}

/**
 * While the file is missing, its former content is used: the driver reads this property where an error would
 * end the process, and without an authority it would accept those that the system trusts.
 */
function readOr(before: NonSharedBuffer, file: string): NonSharedBuffer {
  try {
    return readFileSync(file);
  } catch {
    return before;
  }
}
