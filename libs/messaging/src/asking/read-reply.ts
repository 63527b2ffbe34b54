import { failure, parseOwnJson, type Reply } from '@truetally/kernel';
import { isReply } from '../serving/handlers.js';

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
