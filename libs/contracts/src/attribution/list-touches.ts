import { fail, type Result, succeed } from '@truetally/kernel';
import { RecordReader } from '../facts/record-reader.js';
import {
  type ListTouches,
  TOUCH_DIRECTIONS,
  TOUCH_PROVENANCES,
  type TouchResource,
} from './touch-command.js';

/** `data` of `GET /partner-attribution/touches`. */
export interface TouchPage {
  readonly items: readonly TouchResource[];
  readonly next_cursor: string | null;
}

/** The message on `attribution-ledger.queries/list-touches`. */
export function encodeListTouches(request: ListTouches): string {
  return JSON.stringify(request);
}

/** Reads the parsed message back; never throws. */
export function readListTouchesMessage(message: unknown): Result<ListTouches, string> {
  const reader = RecordReader.from(message);
  if (reader === undefined) return fail('not an object');
  const request: ListTouches = {
    site_id: reader.text('site_id'),
    limit: reader.integer('limit'),
    cursor: reader.textOrNull('cursor'),
  };
  const faults = reader.faultsWith();
  return faults.length === 0 ? succeed(request) : fail(`unreadable: ${faults.join(', ')}`);
}

/**
 * Reads the content of `ok` in a `ListTouchesReply`; never throws. Copies only the documented fields, so that
 * nothing else in a reply reaches a client.
 */
export function readTouchPage(ok: unknown): Result<TouchPage, string> {
  const reader = RecordReader.from(ok);
  if (reader === undefined) return fail('not an object');
  const rows = reader.objects('items');
  const page: TouchPage = { items: rows.map(readTouch), next_cursor: reader.textOrNull('next_cursor') };
  const faults = reader.faultsWith(...rows);
  return faults.length === 0 ? succeed(page) : fail(`unreadable: ${[...new Set(faults)].join(', ')}`);
}

function readTouch(reader: RecordReader): TouchResource {
  return {
    id: reader.text('id'),
    touch_id: reader.text('touch_id'),
    provider: reader.text('provider'),
    direction: reader.oneOf('direction', TOUCH_DIRECTIONS) ?? 'inbound',
    partner_id: reader.textOrNull('partner_id'),
    landing_path: reader.textOrNull('landing_path'),
    occurred_at: reader.text('occurred_at'),
    provenance: reader.oneOf('provenance', TOUCH_PROVENANCES) ?? 'browser_sdk',
    session_id: reader.textOrNull('session_id'),
    recorded_at: reader.text('recorded_at'),
  };
}
