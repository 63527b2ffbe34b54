import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '@truetally/processes';

const LOOPBACK = '127.0.0.1';
const LENGTH_BYTES = 4;
const PRODUCE = 0;
/** Of a request: its API, its version, its correlation id. */
const API_OFFSET = LENGTH_BYTES;
const REQUEST_ID_OFFSET = 8;
/** Of an answer: only the correlation id. */
const ANSWER_ID_OFFSET = LENGTH_BYTES;

/** A proxy between a client and one broker that can lose acknowledgements, as a network may. */
export interface KafkaProxy {
  /** For the client: the broker's address is replaced by this one. */
  readonly brokers: string;
  /** Number of acknowledgements that the broker sent and the client did not get. */
  readonly lost: number;
  /** The next produce request reaches the broker; the connection is cut when it is acknowledged. */
  loseNextAcknowledgement(): void;
  close(): Promise<void>;
}

/** @param brokers one broker on the loopback address, `127.0.0.1:<port>` */
export async function startKafkaProxy(brokers: string): Promise<KafkaProxy> {
  const port = await freePort();
  const realPort = Number(brokers.split(':')[1]);
  const sockets = new Set<Socket>();
  const losses = { wanted: 0, lost: 0 };
  const server = createServer((client) => {
    const broker = connect({ host: LOOPBACK, port: realPort });
    const produces = new Set<number>();
    const cut = (): void => {
      client.destroy();
      broker.destroy();
      sockets.delete(client);
    };
    sockets.add(client);
    for (const socket of [client, broker]) socket.setNoDelay(true).on('error', cut).on('close', cut);
    eachFrame(client, (frame) => {
      if (frame.readInt16BE(API_OFFSET) === PRODUCE) produces.add(frame.readInt32BE(REQUEST_ID_OFFSET));
      broker.write(frame);
    });
    eachFrame(broker, (frame) => {
      const isAcknowledgement = produces.delete(frame.readInt32BE(ANSWER_ID_OFFSET));
      if (!isAcknowledgement || losses.wanted === 0) {
        client.write(withPort(frame, realPort, port));
        return;
      }
      losses.wanted -= 1;
      losses.lost += 1;
      cut();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, LOOPBACK, resolve));
  return {
    brokers: `${LOOPBACK}:${port}`,
    get lost() {
      return losses.lost;
    },
    loseNextAcknowledgement: () => {
      losses.wanted += 1;
    },
    close: () => close(server, sockets),
  };
}

/** Every message of the protocol begins with its length. */
function eachFrame(socket: Socket, take: (frame: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + rest.readInt32BE(0);
      if (rest.length < end) return;
      take(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  });
}

/** Replaces the broker's address in an answer by the proxy's. */
function withPort(frame: Buffer, from: number, to: number): Buffer {
  const address = (port: number): Buffer => {
    const bytes = Buffer.alloc(LOOPBACK.length + LENGTH_BYTES, LOOPBACK);
    bytes.writeInt32BE(port, LOOPBACK.length);
    return bytes;
  };
  const [wanted, instead] = [address(from), address(to)];
  const changed = Buffer.from(frame);
  for (let at = changed.indexOf(wanted); at !== -1; at = changed.indexOf(wanted, at + wanted.length)) {
    instead.copy(changed, at);
  }
  return changed;
}

function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  return new Promise((resolve) => server.close(() => resolve()));
}
