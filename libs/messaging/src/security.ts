import { readFileSync } from 'node:fs';
import { connect as connectPlain, isIP } from 'node:net';
import { connect as connectSecurely, type ConnectionOptions } from 'node:tls';
import { type ISocketFactory } from 'kafkajs';

/** What protects the connections to Kafka; without either part they are plain. */
export interface KafkaSecurity {
  readonly tls?: TlsFiles;
  readonly sasl?: ScramUser<'scram-sha-256'> | ScramUser<'scram-sha-512'>;
}

interface ScramUser<Mechanism> {
  readonly mechanism: Mechanism;
  readonly username: string;
  readonly password: string;
}

/** Paths of PEM files. */
export interface TlsFiles {
  /** Whom to trust; without it, whom the system trusts. */
  readonly caFile: string | undefined;
  /** Who we are, with the key to it: for brokers that ask for it. */
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
}

const KEEP_ALIVE_MS = 60_000;

/**
 * How every connection of the driver begins. The driver's own factory leaves Nagle's algorithm on, which holds a small
 * second request back, and would keep certificates for good: here they are read for each connection, so that renewed
 * ones count from the next on.
 */
export function socketFactory(tls: TlsFiles | undefined): ISocketFactory {
  return ({ host, port, onConnect }) => {
    const socket =
      tls === undefined
        ? connectPlain({ host, port }, onConnect)
        : connectSecurely({ host, port, ...nameOf(host), ...contentOf(tls) }, onConnect);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    return socket;
  };
}

/** An address is no server name, and is looked for among the addresses of the certificate. */
function nameOf(host: string): ConnectionOptions {
  return isIP(host) === 0 ? { servername: host } : {};
}

/** @throws when a file cannot be read, which fails this connection; the next reads it again */
function contentOf({ caFile, certFile, keyFile }: TlsFiles): ConnectionOptions {
  return {
    ...(caFile !== undefined && { ca: readFileSync(caFile) }),
    ...(certFile !== undefined && { cert: readFileSync(certFile) }),
    ...(keyFile !== undefined && { key: readFileSync(keyFile) }),
  };
}
