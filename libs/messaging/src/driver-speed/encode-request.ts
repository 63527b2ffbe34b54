import type { RequestBody } from './encode-produce.js';
import { countRequest } from './request-counts.js';

/** A request as the driver's connection passes it on, before encoding. */
export interface DriverRequest {
  readonly correlationId: number;
  readonly clientId: string;
  readonly request: {
    readonly apiKey: number;
    readonly apiVersion: number;
    readonly encode: () => Promise<{ readonly buffer: Buffer } | RequestBody>;
  };
}

const SIZE_BYTES = 4;
/** Key and version of the API, correlation id, length of the client's name. */
const HEADER_BYTES = 2 + 2 + 4 + 2;

/** A whole request in one buffer of its exact size, ready for the socket. Each is sent, and counted, once. */
export async function encodeRequest({
  correlationId,
  clientId,
  request,
}: DriverRequest): Promise<{ readonly buffer: Buffer }> {
  countRequest(request.apiKey);
  const body = bodyOf(await request.encode());
  const clientIdBytes = Buffer.byteLength(clientId);
  const bytes = HEADER_BYTES + clientIdBytes + body.bytes;
  const buffer = Buffer.allocUnsafe(SIZE_BYTES + bytes);
  let offset = buffer.writeInt32BE(bytes, 0);
  offset = buffer.writeInt16BE(request.apiKey, offset);
  offset = buffer.writeInt16BE(request.apiVersion, offset);
  offset = buffer.writeInt32BE(correlationId, offset);
  offset = buffer.writeInt16BE(clientIdBytes, offset);
  offset += buffer.write(clientId, offset);
  body.write(buffer, offset);
  return { buffer };
}

function bodyOf(encoded: { readonly buffer: Buffer } | RequestBody): Pick<RequestBody, 'bytes' | 'write'> {
  if ('write' in encoded) return encoded;
  const { buffer: body } = encoded;
  return { bytes: body.length, write: (buffer, start) => start + body.copy(buffer, start) };
}
