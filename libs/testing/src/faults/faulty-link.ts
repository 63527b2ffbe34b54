import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { DelayLine, type Weather } from './delay-line.js';

/** A proxy to a server, which a test can interrupt, block or slow down. */
export interface FaultyLink {
  readonly port: number;
  /** `host:port` of the link, for its clients. */
  readonly address: string;
  /** Blocks every byte from now on, in both directions, also of new connections; none is lost. */
  stall(): void;
  /** Releases all blocked bytes, however old. */
  resume(): void;
  /** Closes every connection and refuses new ones, until `mend`. Blocked bytes are lost. */
  cut(): void;
  mend(): void;
  /** Delays bytes from now on, in each direction; undefined: no delay. */
  slow(weather: Weather | undefined): void;
  /**
   * Sends new connections to another server, as when a service's address moves; open connections are
   * unaffected.
   */
  leadTo(address: string): void;
  close(): Promise<void>;
}

type Transform = (bytes: Buffer) => Buffer;

/**
 * Opens a proxy to a server on loopback.
 * @param answers creates the transformation of the server's data, one per connection
 */
export async function openFaultyLink(
  address: string,
  answers: (linkPort: number) => Transform = () => (bytes) => bytes,
): Promise<FaultyLink> {
  const sockets = new Set<Socket>();
  const state: LinkState = { isStalled: false, isCut: false, address, weather: undefined };
  const server = createServer((client) => {
    if (state.isCut) {
      client.destroy();
      return;
    }
    const [host = '', port = ''] = state.address.split(':');
    const upstream = connect({ host, port: Number(port) });
    join(client, upstream, (bytes) => bytes, state);
    join(upstream, client, answers(portOf(server)), state);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      if (state.isStalled) socket.pause();
      socket.on('close', () => sockets.delete(socket));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    state.isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: portOf(server),
    address: `127.0.0.1:${portOf(server)}`,
    stall: () => {
      state.isStalled = true;
      for (const socket of sockets) socket.pause();
    },
    resume: () => {
      state.isStalled = false;
      for (const socket of sockets) socket.resume();
    },
    cut,
    mend: () => {
      state.isCut = false;
    },
    slow: (weather) => {
      state.weather = weather;
    },
    leadTo: (other) => {
      state.address = other;
    },
    close: async () => {
      cut();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}

interface LinkState {
  isStalled: boolean;
  isCut: boolean;
  address: string;
  weather: Weather | undefined;
}

/** Copies bytes and the end of the stream from one to the other. */
function join(from: Socket, to: Socket, transform: Transform, state: LinkState): void {
  const line = new DelayLine(() => state.weather);
  from.on('data', (bytes) => {
    const sent = transform(bytes);
    line.pass(() => to.writable && to.write(sent));
  });
  from.on('end', () => line.pass(() => to.end()));
  from.on('error', () => to.destroy());
  from.on('close', () => line.pass(() => to.destroySoon()));
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

const LENGTH_BYTES = 4;

/**
 * A proxy to a Kafka broker. The broker's answers contain its own address, which would lead clients past the
 * link; it is replaced by the link's, which has the same length.
 */
export function openKafkaLink(broker: string): Promise<FaultyLink> {
  return openFaultyLink(broker, (linkPort) => {
    const [host = '', port = ''] = broker.split(':');
    const own = addressBytes(host, Number(port));
    const ours = addressBytes(host, linkPort);
    let rest: Buffer = Buffer.alloc(0);
    return (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      const end = endOfWholeAnswers(rest);
      const whole = rest.subarray(0, end);
      rest = rest.subarray(end);
      for (let at = whole.indexOf(own); at !== -1; at = whole.indexOf(own, at + own.length))
        ours.copy(whole, at);
      return whole;
    };
  });
}

function addressBytes(host: string, port: number): Buffer {
  const bytes = Buffer.alloc(LENGTH_BYTES);
  bytes.writeInt32BE(port);
  return Buffer.concat([Buffer.from(host), bytes]);
}

function endOfWholeAnswers(bytes: Buffer): number {
  let end = 0;
  while (bytes.length >= end + LENGTH_BYTES) {
    const next = end + LENGTH_BYTES + bytes.readInt32BE(end);
    if (next > bytes.length) break;
    end = next;
  }
  return end;
}
