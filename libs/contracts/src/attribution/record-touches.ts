import { fail, type Result, succeed } from '@truetally/kernel';
import { RecordReader } from '../facts/record-reader.js';
import {
  MAX_TOUCHES_PER_REQUEST,
  type RecordTouches,
  type SealedClick,
  TOUCH_DIRECTIONS,
  TOUCH_PROVENANCES,
  type TouchCommand,
  type TouchVerdict,
} from './touch-command.js';

/** Reads the message; never throws. The error names fields, never their values. */
export function decodeRecordTouches(message: string): Result<RecordTouches, string> {
  const reader = RecordReader.of(message);
  if (reader === undefined) return fail('not a JSON object');
  const items = reader.objects('touches');
  const clicks = items.map((item) => item.objectOrNull('click'));
  const request: RecordTouches = {
    site_id: reader.text('site_id'),
    request_id: reader.text('request_id'),
    touches: items.map((item, index) => readTouch(item, clicks[index] ?? null)),
  };
  const { faults } = reader;
  if (faults.length > 0) return fail(`unreadable: ${[...new Set(faults)].join(', ')}`);
  const count = items.length;
  if (count === 0 || count > MAX_TOUCHES_PER_REQUEST)
    return fail(`not 1 to ${MAX_TOUCHES_PER_REQUEST} touches`);
  const isEachOnce = new Set(request.touches.map(({ touch_id }) => touch_id)).size === count;
  return isEachOnce ? succeed(request) : fail('a touch_id comes twice');
}

function readTouch(reader: RecordReader, click: RecordReader | null): TouchCommand {
  return {
    touch_id: reader.text('touch_id'),
    provider: reader.text('provider'),
    direction: reader.oneOf('direction', TOUCH_DIRECTIONS) ?? 'inbound',
    partner_id: reader.textOrNull('partner_id'),
    landing_path: reader.textOrNull('landing_path'),
    occurred_at: reader.text('occurred_at'),
    provenance: reader.oneOf('provenance', TOUCH_PROVENANCES) ?? 'browser_sdk',
    session_id: reader.textOrNull('session_id'),
    click: click === null ? null : readClick(click),
    fingerprint: reader.text('fingerprint'),
  };
}

function readClick(reader: RecordReader): SealedClick {
  return { key_id: reader.text('key_id'), sealed: reader.text('sealed'), hash: reader.text('hash') };
}

/**
 * Reads the content of `ok` in a `RecordTouchesReply`; never throws.
 * @param touchIds of the request: a reply with other ids belongs to another request
 */
export function readTouchVerdicts(
  ok: unknown,
  touchIds: readonly string[],
): Result<readonly TouchVerdict[], string> {
  const rows: unknown = typeof ok === 'object' && ok !== null && 'touches' in ok ? ok.touches : undefined;
  if (!Array.isArray(rows) || rows.length !== touchIds.length) {
    return fail(`a reply to ${touchIds.length} touches has as many verdicts`);
  }
  const verdicts: TouchVerdict[] = [];
  for (const [index, row] of (rows as readonly unknown[]).entries()) {
    const verdict = readVerdict(row);
    if (verdict === undefined) return fail(`touches.${index} of the reply is not a verdict`);
    if (verdict.touch_id !== touchIds[index]) return fail(`touches.${index} of the reply is another touch`);
    verdicts.push(verdict);
  }
  return succeed(verdicts);
}

function readVerdict(row: unknown): TouchVerdict | undefined {
  if (typeof row !== 'object' || row === null) return undefined;
  const { touch_id, id, status, recorded_at } = row as Readonly<Record<string, unknown>>;
  if (typeof touch_id !== 'string' || typeof id !== 'string' || typeof recorded_at !== 'string')
    return undefined;
  if (status !== 'created' && status !== 'unchanged') return undefined;
  return { touch_id, id, status, recorded_at };
}
