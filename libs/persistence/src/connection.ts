import { readFileSync } from 'node:fs';
import { checkServerIdentity, type ConnectionOptions, type PeerCertificate } from 'node:tls';

/** Where Postgres is, and how to speak to it: what every pool and client of the product is made with. */
export interface Connection {
  readonly connectionString: string;
  /** False is a plain connection. */
  readonly ssl: ConnectionOptions | false;
}

/**
 * `sslmode=verify-full` (with `sslrootcert`, or else whom the system trusts) means that nobody but the host that the URL
 * names is spoken to, over TLS or not at all. The driver's own reading is passed by: it would look for an address under
 * the name `localhost`, and believes `PGSSLMODE`.
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
      // Read for each connection, so that a renewed authority counts from the next on.
      get ca() {
        newest = readOr(newest, caFile);
        return newest;
      },
    },
  };
}

/**
 * While the file is away, what it held before holds on: the driver asks where an error would end the process, and without
 * any authority those that the system trusts would do.
 */
function readOr(before: NonSharedBuffer, file: string): NonSharedBuffer {
  try {
    return readFileSync(file);
  } catch {
    return before;
  }
}
