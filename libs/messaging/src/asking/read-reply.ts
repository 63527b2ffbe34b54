import { failure, parseOwnJson, type Reply } from '@truetally/kernel';
import { isReply } from '../serving/handlers.js';

const OK_PREFIX = '{"ok":';
const UNREADABLE = failure('INTERNAL_ERROR', 'The reply could not be read');

export function readReply(text: string): Reply<unknown> {
  try {
    const reply = parseOwnJson(text);
    if (isReply(reply)) return reply;
  } catch {
    // Told below; what is wrong is the server's business.
  }
  return UNREADABLE;
}

/**
 * The same with the JSON text under `ok` as it came: who passes it on neither parses nor writes it. A reply has one member
 * and is written by `JSON.stringify`, so that the text begins behind the first bytes and ends before the last.
 */
export function readReplyText(text: string): Reply<string> {
  if (text.startsWith(OK_PREFIX) && text.endsWith('}')) return { ok: text.slice(OK_PREFIX.length, -1) };
  const reply = readReply(text);
  return 'error' in reply ? reply : UNREADABLE;
}
