import type { Duplex } from 'node:stream';
import pg from 'pg';

type Bytes = (bytes: Buffer) => void;

/** The driver's own, which its types leave out: called once for a socket, and again for TLS upon it. */
interface Reading {
  attachListeners(stream: { readonly on: (name: string, listener: Bytes) => unknown }): void;
}

/**
 * The driver reads what Postgres sends in the socket's listener. A row that ends before its fields, from a proxy that fails or
 * another server that has the address now, threw there, which nobody catches, and ended the process. It costs its connection
 * now, as any other error of it.
 */
export class GuardedClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    // A connection may break without a statement, and in the moment in which a pool hands it out (one packet can say both "ready"
    // and "terminated"). Without a listener that would end the process; the next statement reports it anyway.
    this.on('error', () => undefined);
    const { connection } = this as unknown as { readonly connection: Reading };
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      const socket = stream as Duplex;
      attach({
        on: (name, listener) => socket.on(name, name === 'data' ? guarded(socket, listener) : listener),
      });
    };
  }
}

function guarded(socket: Duplex, read: Bytes): Bytes {
  return (bytes) => {
    try {
      read(bytes);
    } catch (error) {
      // No cause: an error of a value's type would blame the statement's values.
      socket.destroy(new Error(`Postgres sent what is no answer: ${String(error)}`));
    }
  };
}
