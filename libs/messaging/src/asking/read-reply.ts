import { failure, parseOwnJson, type Reply } from '@truetally/kernel';
import { isReply } from '../serving/handlers.js';

const OK_PREFIX = Buffer.from('{"ok":');
const CLOSING_BRACE = 0x7d;
const UNREADABLE = failure('INTERNAL_ERROR', 'The reply could not be read');

export function readReply(bytes: Buffer): Reply<unknown> {
  try {
    const reply = parseOwnJson(bytes.toString());
    if (isReply(reply)) return reply;
  } catch {
    // Logged below; the fault is the server's.
  }
  return UNREADABLE;
}

/**
 * The same with the JSON under `ok` as bytes: a caller that forwards it neither parses nor writes it. A reply
 * has one member and is written by `JSON.stringify`, so that the value starts after the first bytes and ends
 * before the last.
 */
export function readReplyBytes(bytes: Buffer): Reply<Buffer> {
  if (OK_PREFIX.equals(bytes.subarray(0, OK_PREFIX.length)) && bytes.at(-1) === CLOSING_BRACE) {
    return { ok: bytes.subarray(OK_PREFIX.length, -1) };
  }
  const reply = readReply(bytes);
  return 'error' in reply ? reply : UNREADABLE;
}
