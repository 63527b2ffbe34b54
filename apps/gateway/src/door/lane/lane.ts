import type { Server } from 'node:http';
import { Socket } from 'node:net';
import type { BodyBudget } from '../../http/shares.js';
import { LaneRequest, LaneResponse, readLaneRequest } from './lane-http.js';

type Handle = (request: LaneRequest, response: LaneResponse) => void;

interface LaneParts {
  readonly server: Server;
  readonly handle: Handle;
  /** For what arrives behind requests under way. */
  readonly room: BodyBudget;
  /** The last header lines of an answer behind which the connection stays open. */
  readonly keepAlive: string;
}

/**
 * Lets each connection's plainest requests with events and orders pass Node's reader by, which makes two streams of a request
 * (docs/decisions/http-edge.md, "Two readers"). Call it before the server listens.
 */
export function openLane(server: Server, handle: Handle, room: BodyBudget): void {
  const seconds = Math.floor(server.keepAliveTimeout / MS_PER_SECOND);
  const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n\r\n`;
  const parts = { server, handle, room, keepAlive };
  server.on('connection', (socket) => new Lane(socket, parts));
}

const MS_PER_SECOND = 1_000;
/** What Node adds to the announced timeout of an idle connection. */
const KEEP_ALIVE_BUFFER_MS = 1_000;

type Listener = (...parameters: unknown[]) => void;

/** Where Node keeps the answer under way on a connection. */
interface Connection extends Socket {
  _httpMessage?: { _last: boolean } | null;
}

function endBehindAnswer(socket: Connection): void {
  const { _httpMessage: answer } = socket;
  if (answer == null) socket.end();
  else answer._last = true;
}

/** Node takes the listeners off, with which a pause stops the reading at once, when another reader begins: they go on. */
function keepingPauses(socket: Socket, change: () => void): void {
  const before = (['pause', 'resume'] as const).map((name) => [name, socket.listeners(name)] as const);
  change();
  for (const [name, listeners] of before) {
    for (const one of listeners) {
      socket.off(name, one as Listener);
      socket.on(name, one as Listener);
    }
  }
}

/**
 * One connection. Each of its chunks is exactly one request of which every reader sees where it ends. Node gets the first, so that its
 * timeouts are right behind it, and those of other routes; the lane answers the rest. So Node's parser always stands between two
 * requests when the lane reads one, and counts the connection as idle or busy by the answer under way. From the first chunk of any
 * other form on, everything is Node's for the rest of the connection's life.
 */
class Lane {
  private readonly listenersOfNode: readonly Listener[];
  private hasBegun = false;
  private hasLeft = false;
  private current: LaneResponse | undefined;
  /** What arrived behind the current request: one chunk, because the connection is paused. */
  private waiting: Buffer | undefined;

  constructor(
    private readonly socket: Connection,
    private readonly parts: LaneParts,
  ) {
    this.listenersOfNode = socket.listeners('data') as Listener[];
    keepingPauses(socket, () => {
      for (const listener of this.listenersOfNode) socket.off('data', listener);
      socket.on('data', this.onData);
    });
    // Behind that change: until somebody else listens, Node's parser reads a connection by itself.
    readIntoOne(socket, this.takeAtOnce);
    socket.once('close', () => this.finish());
  }

  private readonly onData = (chunk: Buffer): void => {
    const { socket, parts } = this;
    if (this.current !== undefined) {
      this.waiting = chunk;
      if (parts.room.take([], chunk.length)) socket.pause();
      else socket.destroy();
      return;
    }
    const request = socket.writable ? readLaneRequest(socket, chunk) : undefined;
    const isNodeAnswering = socket._httpMessage != null;
    if (request === undefined || isNodeAnswering) return this.leave(chunk);
    if (request === 'of-node' || !this.hasBegun) {
      this.hasBegun = true;
      return this.passToNode(chunk);
    }
    this.begin(request);
  };

  /** @param chunk memory that is read into again @returns whether it was a request of the lane */
  private readonly takeAtOnce = (chunk: Buffer): boolean => {
    const { socket } = this;
    if (!this.hasBegun || this.hasLeft || this.current !== undefined || !socket.writable) return false;
    const request = socket._httpMessage == null ? readLaneRequest(socket, chunk) : undefined;
    if (!(request instanceof LaneRequest)) return false;
    this.begin(request);
    request.keepBody();
    return true;
  };

  private begin(request: LaneRequest): void {
    const { socket, parts } = this;
    this.current = new LaneResponse(socket, parts.keepAlive, () => this.finish());
    socket._httpMessage = this.current;
    parts.handle(request, this.current);
  }

  /** The system has the answer, or the connection is closed. */
  private finish(): void {
    const { current, socket, parts, waiting } = this;
    if (current === undefined) return;
    this.current = undefined;
    this.waiting = undefined;
    if (waiting !== undefined) parts.room.release([], waiting.length);
    socket._httpMessage = null;
    current.close();
    if (socket.destroyed) return;
    if (!current.shouldKeepAlive) return void socket.destroySoon();
    // What came before its client ended its side, or before a stop, is still answered.
    if (waiting === undefined && (current._last || !parts.server.listening)) return void socket.destroySoon();
    if (current.hasOwnTimeout) socket.setTimeout(parts.server.keepAliveTimeout + KEEP_ALIVE_BUFFER_MS);
    if (waiting === undefined) return;
    // Before its next request, which may pause it again.
    socket.resume();
    this.onData(waiting);
    if (current._last) endBehindAnswer(socket);
  }

  private leave(chunk: Buffer): void {
    this.hasLeft = true;
    keepingPauses(this.socket, () => {
      this.socket.off('data', this.onData);
      for (const listener of this.listenersOfNode) this.socket.on('data', listener);
    });
    this.passToNode(chunk);
  }

  private passToNode(chunk: Buffer): void {
    for (const listener of this.listenersOfNode) listener(chunk);
  }
}

/** As much as Node reads at once. */
const READ_BYTES = 65_536;
/** Of all connections. */
const READ_INTO = Buffer.allocUnsafeSlow(READ_BYTES);

interface ReadingHandle {
  useUserBuffer?(memory: Uint8Array): void;
}

/**
 * Has an accepted connection read into the same memory as all others, which `take` may use until it returns; what it does not take
 * goes on as data. For each read Node makes 64 KiB of memory, and a buffer and a turn of a stream for what came. It offers this
 * (`onread`) to who connects only, so its places are looked up; where they are missing, everything goes on as data.
 */
function readIntoOne(socket: Socket, take: (chunk: Buffer) => boolean): void {
  const { _handle: handle } = socket as Socket & { readonly _handle?: ReadingHandle };
  if (PLACES === undefined || typeof handle?.useUserBuffer !== 'function') return;
  const onRead = (bytes: number): boolean => {
    const chunk = READ_INTO.subarray(0, bytes);
    if (socket.readableFlowing === true && socket.readableLength === 0 && take(chunk)) return true;
    const kept = Buffer.allocUnsafeSlow(bytes);
    chunk.copy(kept);
    return socket.push(kept);
  };
  Object.assign(socket, { [PLACES.buffer]: READ_INTO, [PLACES.onRead]: onRead });
  handle.useUserBuffer(READ_INTO);
}

const PLACES = placesIn(new Socket({ onread: { buffer: READ_INTO, callback: () => true } }));

function placesIn(socket: Socket): { readonly buffer: symbol; readonly onRead: symbol } | undefined {
  const named = (name: string): symbol | undefined =>
    Object.getOwnPropertySymbols(socket).find(({ description }) => description === name);
  const [buffer, onRead] = [named('kBuffer'), named('kBufferCb')];
  return buffer === undefined || onRead === undefined ? undefined : { buffer, onRead };
}
