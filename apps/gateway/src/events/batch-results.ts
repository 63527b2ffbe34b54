import { type StoredVerdict } from '@truetally/contracts/events';
import { FAILURES } from '@truetally/contracts/http';
import { BODY_PATH } from '@truetally/contracts/validation';
import type { FieldErrors, Result } from '@truetally/kernel';
import { REFUSALS } from '../http/errors.js';

/** An item's event id, or the rules that it breaks. */
export type JudgedItem = Result<string, FieldErrors>;

export interface BatchSummary {
  readonly failed: number;
  /** JSON text of the answer's `data`. */
  readonly data: string;
}

const BROKEN_RULES = REFUSALS['broken-rules'];

/** Neither will ever pass: a client that retried such an item would send it for ever. */
type Refused = Pick<(typeof REFUSALS)['broken-rules' | 'person-erased'], 'code' | 'message'>;

/**
 * One entry per item, in order, and their sums (interface page, section 4). Written as text: a hundred
 * objects would be created only to be serialised.
 * @param verdicts of the valid items, in order
 */
export function writeBatchResults(
  items: readonly JudgedItem[],
  verdicts: readonly StoredVerdict[],
): BatchSummary {
  let stored = 0;
  let failed = 0;
  let position = 0;
  let accepted = 0;
  let results = '';
  items.forEach((item, index) => {
    if (index > 0) results += ',';
    if (!item.ok) {
      failed += 1;
      results += writeFailure(index, BROKEN_RULES, item.error);
      return;
    }
    const verdict = verdicts[position];
    if (verdict === undefined) throw new Error('Each event has a verdict.');
    position += 1;
    if (verdict.verdict === 'refused') {
      failed += 1;
      results += writeFailure(index, REFUSALS['person-erased'], REFUSALS['person-erased'].details);
      return;
    }
    accepted += 1;
    if (verdict.verdict === 'stored') stored += 1;
    results += writeSuccess(index, item.value, verdict);
  });
  const deduplicated = accepted - stored;
  const sums = `"total":${items.length},"stored":${stored},"deduplicated":${deduplicated},"failed":${failed}`;
  return { failed, data: `{${sums},"results":[${results}]}` };
}

function writeSuccess(index: number, eventId: string, { verdict, receivedAt }: StoredVerdict): string {
  const entry = `{"index":${index},"status":"${verdict}","event_id":"${eventId}","timestamp":"${receivedAt}"`;
  return verdict === 'stored' ? `${entry}}` : `${entry},"deduplicated":true}`;
}

function writeFailure(index: number, { code, message }: Refused, broken: FieldErrors): string {
  const details = Object.fromEntries(
    Object.entries(broken).map(([path, messages]) => [pathInBatch(index, path), messages]),
  );
  const { retryable } = FAILURES[code];
  return JSON.stringify({ index, status: 'failed', error: { code, message, details, retryable } });
}

/** Paths start at the request body's root, also for an item (section 1). */
function pathInBatch(index: number, path: string): string {
  return path === BODY_PATH ? `events.${index}` : `events.${index}.${path}`;
}
