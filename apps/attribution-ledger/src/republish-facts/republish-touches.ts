import type { RecordedTouchFact } from '@truetally/contracts/facts';
import { type AskedAgain, republishTable } from '@truetally/service';
import { touchMessage } from '../domain/facts.js';
import { toInstant, toMilliseconds } from '../domain/instants.js';

const SELECT = `
  select t.id, t.site_id, t.touch_id, t.provider, t.direction, t.partner_id, t.landing_path, t.occurred_at::text,
    t.provenance, t.session_id, t.recorded_at::text
  from touches t`;

/** Publishes touches again; those of an erased person without their session. @returns how many */
export function republishTouches(asked: AskedAgain): Promise<number> {
  return republishTable<RecordedTouchFact>(asked, {
    table: 'touches',
    select: SELECT,
    storedAt: 'recorded_at',
    factsOf: (row) => [
      touchMessage({
        ...row,
        occurred_at: toInstant(row.occurred_at),
        recorded_at: toMilliseconds(row.recorded_at),
      }),
    ],
  });
}
