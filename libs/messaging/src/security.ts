import { readFileSync } from 'node:fs';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecurely, type ConnectionOptions } from 'node:tls';
import { type ISocketFactory } from 'kafkajs';
import { connectInWholeAnswers } from './driver-speed/whole-answers.js';

/** Encryption and authentication of connections to Kafka; without both parts they are plain. */
export interface KafkaSecurity {
  readonly tls?: TlsFiles;
  readonly sasl?: User<'scram-sha-256'> | User<'scram-sha-512'> | User<'plain'>;
}

interface User<Mechanism> {
  readonly mechanism: Mechanism;
  readonly username: string;
  readonly password: string;
}

/** Paths of PEM files. */
export interface TlsFiles {
  /** The trusted authorities; default: those that the system trusts. */
  readonly caFile: string | undefined;
  /** The client's certificate and its key, for brokers that require one. */
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
}

const KEEP_ALIVE_MS = 60_000;

/**
 * Opens every connection of the driver. The driver's own factory leaves Nagle's algorithm on, which delays a
 * small second request, and would read certificates only once. Here each connection reads them, so that renewed
 * ones need no restart.
 */
export function socketFactory(tls: TlsFiles | undefined, readsMuch = false): ISocketFactory {
  return ({ host, port, onConnect }) => {
    const plain = readsMuch ? connectInWholeAnswers : openPlain;
    const socket =
      tls === undefined
        ? plain(host, port, onConnect)
        : connectSecurely({ host, port, ...nameOf(host), ...contentOf(tls) }, onConnect);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    // The driver ends a closed connection with each request that fails; Node would keep a listener for each time, and warn of them.
    socket.once('close', () => {
      socket.unref = () => socket;
    });
    return socket;
  };
}

function openPlain(host: string, port: number, onConnect: () => void): Socket {
  return connectPlain({ host, port }, onConnect);
}

/** An IP address must not be sent as a server name; it is compared with the addresses in the certificate. */
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
