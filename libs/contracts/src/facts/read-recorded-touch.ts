import { TOUCH_DIRECTIONS, TOUCH_PROVENANCES } from '../attribution/touch-command.js';
import { recordCodec } from './record-codec.js';
import type { RecordedTouchFact } from './recorded-touch.js';

/** Reads a value of `touches.recorded.v1`; never throws. The error names the fields. */
export const RECORDED_TOUCH_FACT = recordCodec((reader): RecordedTouchFact => ({
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
}));
