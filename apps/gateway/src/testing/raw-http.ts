import { connect, type Socket } from 'node:net';

/** Data received on a socket until the peer closed it or an answer was complete. */
export interface RawAnswer {
  /** Undefined when the connection ended without an answer. */
  readonly status: number | undefined;
  readonly headers: string;
  readonly body: string;
}

const NO_CONTENT = 204;
const DEFAULT_TIMEOUT_MS = 60_000;

/** Writes bytes that no HTTP client would, and reads the first answer. */
export async function sendRaw(
  origin: string,
  bytes: string | Uint8Array | readonly (string | Uint8Array)[],
  options: { readonly isEnded?: boolean; readonly timeoutMs?: number } = {},
): Promise<RawAnswer> {
  const socket = await open(origin);
  const answer = readAnswer(socket, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const pieces = typeof bytes === 'string' || bytes instanceof Uint8Array ? [bytes] : bytes;
  for (const piece of pieces) socket.write(piece);
  if (options.isEnded === true) socket.end();
  const result = await answer;
  socket.destroy();
  return result;
}

/** @param localAddress of this end */
export function open(origin: string, localAddress?: string): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}

/** Resolves with the first complete answer, or with the data before the connection ended. */
export function readAnswer(socket: Socket, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`No answer within ${timeoutMs} ms: ${text}`)), timeoutMs);
    const settle = (): void => {
      clearTimeout(timer);
      resolve(parse(text));
    };
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (isComplete(text)) settle();
    });
    socket.once('close', settle);
  });
}

function isComplete(text: string): boolean {
  const { status, headers, body } = parse(text);
  if (status === NO_CONTENT) return text.includes('\r\n\r\n');
  const length = /^content-length: (\d+)/im.exec(headers)?.[1];
  return length !== undefined && body.length >= Number(length);
}

function parse(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const headers = end < 0 ? text : text.slice(0, end);
  const status = /^HTTP\/1\.1 (\d{3})/.exec(headers)?.[1];
  return {
    status: status === undefined ? undefined : Number(status),
    headers,
    body: end < 0 ? '' : text.slice(end + 4),
  };
}
