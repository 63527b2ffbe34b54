import { Socket } from 'node:net';

/** As much as Node reads at once. */
const READ_BYTES = 65_536;
/** Of all connections. */
const READ_INTO = Buffer.allocUnsafeSlow(READ_BYTES);

interface Handle {
  useUserBuffer?(memory: Uint8Array): void;
}

/**
 * Has an accepted connection read into the same memory as all others, which `take` may use until it returns; what it does not take
 * goes on as data. For each read Node makes 64 KiB of memory, and a buffer and a turn of a stream for what came. It offers this
 * (`onread`) to who connects only, so its places are looked up; where they are missing, everything goes on as data.
 */
export function readIntoOne(socket: Socket, take: (chunk: Buffer) => boolean): void {
  const { _handle: handle } = socket as Socket & { readonly _handle?: Handle };
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
