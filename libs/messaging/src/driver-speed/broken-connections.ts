/** The relevant part of one of the driver's connections. */
export interface Connection {
  readonly socket?: { destroy(): unknown };
  readonly requestQueue: { readonly inflight: ReadonlyMap<number, unknown>; onSilence?: () => void };
  chunks: readonly Buffer[];
  bytesBuffered: number;
  bytesNeeded: number;
  isConnected(): boolean;
  connect(): Promise<boolean>;
  disconnect(): Promise<unknown>;
  processData(piece: Buffer): void;
  rejectRequests(error: Error): void;
}

export type ConnectionClass = abstract new (...options: never[]) => Connection;

/** Closes it without waiting for what it was asked. */
export function breakOff(connection: Connection, error: Error): void {
  connection.rejectRequests(error);
  connection.disconnect().catch(() => undefined);
  connection.socket?.destroy();
}

/** Of the size in front of each answer. */
const SIZE_BYTES = 4;

/**
 * The driver opens a broken connection again as the same object, with the beginning of the answer during which it broke: it then
 * took the next answers for the rest of that one, and understood none any more. And a request without an answer left its connection
 * open: where the broker's host is gone without a word, all later requests waited in vain, too, for minutes. And what is no answer,
 * from a proxy that fails or another server that has the broker's address now, ended the process by an error of the socket's listener.
 */
export function begunAfresh<C extends ConnectionClass>(connection: C): C {
  const prototype = connection.prototype as Connection;
  const { connect, processData } = prototype;
  prototype.connect = function () {
    if (!this.isConnected()) {
      [this.chunks, this.bytesBuffered, this.bytesNeeded] = [[], 0, SIZE_BYTES];
      this.requestQueue.onSilence = () => {
        breakOff(this, new Error('The broker does not answer'));
      };
    }
    return connect.call(this);
  };
  prototype.processData = function (piece) {
    try {
      processData.call(this, piece);
    } catch (error) {
      breakOff(this, new Error('The broker sent what is no answer', { cause: error }));
    }
  };
  return connection;
}
