import { fail, type Result, succeed } from '@truetally/kernel';
import { isJsonObject } from '../validation/shape.js';
import { UUID } from '../validation/forms.js';
import { RecordReader } from '../facts/record-reader.js';

/** Maximum number of keys in a message. */
export const MAX_KEY_USES = 5_000;

/** When an API key was last used, as seen by one gateway. */
export interface KeyUse {
  readonly key_id: string;
  /** Epoch milliseconds. */
  readonly at_ms: number;
}

/** The message of `management.record-key-use`; it has no reply. */
export interface RecordKeyUse {
  readonly uses: readonly KeyUse[];
}

/** Reads a parsed message; never throws. */
export function readRecordKeyUse(message: unknown): Result<RecordKeyUse, string> {
  const reader = RecordReader.from(message);
  if (reader === undefined) return fail('not an object');
  const uses = reader.list('uses', readUse);
  const faults = [...reader.faultsWith()];
  if (uses.length > MAX_KEY_USES) faults.push('uses');
  return faults.length === 0 ? succeed({ uses }) : fail(`unreadable: ${faults.join(', ')}`);
}

function readUse(item: unknown): KeyUse | undefined {
  if (!isJsonObject(item)) return undefined;
  const { key_id, at_ms } = item;
  if (typeof key_id !== 'string' || !UUID.test(key_id) || !Number.isSafeInteger(at_ms)) return undefined;
  return { key_id, at_ms: Number(at_ms) };
}
