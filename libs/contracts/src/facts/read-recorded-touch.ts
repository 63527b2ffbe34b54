import { fail, type Result, succeed } from '@truetally/kernel';
import { TOUCH_DIRECTIONS, TOUCH_PROVENANCES } from '../attribution/touch-command.js';
import { RecordReader } from './record-reader.js';
import type { RecordedTouchFact } from './recorded-touch.js';

/** Reads a value of `touches.recorded.v1`; never throws. The error names the fields. */
export function parseRecordedTouch(text: string): Result<RecordedTouchFact, string> {
  const reader = RecordReader.of(text);
  if (reader === undefined) return fail('not a JSON object');
  const fact: RecordedTouchFact = {
    id: reader.text('id'),
    site_id: reader.text('site_id'),
    touch_id: reader.text('touch_id'),
    provider: reader.text('provider'),
    direction: reader.oneOf('direction', TOUCH_DIRECTIONS) ?? 'inbound',
    partner_id: reader.textOrNull('partner_id'),
    landing_path: reader.textOrNull('landing_path'),
    occurred_at: reader.instant('occurred_at'),
    provenance: reader.oneOf('provenance', TOUCH_PROVENANCES) ?? 'server',
    session_id: reader.textOrNull('session_id'),
    recorded_at: reader.instant('recorded_at'),
  };
  const faults = reader.faultsWith();
  return faults.length === 0 ? succeed(fact) : fail(`unreadable: ${faults.join(', ')}`);
}
