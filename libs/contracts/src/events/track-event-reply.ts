import { fail, type Result, succeed } from '@truetally/kernel';

/** The outcome of one event. The time is that of its first storage, of a refused one that of the refusal. */
export interface StoredVerdict {
  /** `refused`: the person was erased, and nothing of them is stored any more. */
  readonly verdict: 'stored' | 'duplicate' | 'refused';
  /** ISO 8601 UTC with milliseconds: the answer's `timestamp`. */
  readonly receivedAt: string;
}

/** By their number in a reply. */
const VERDICTS = ['stored', 'duplicate', 'refused'] as const;

/**
 * The reply's text: `{"ok":[[0,"2026-01-31T09:30:00.000Z",50],…]}`, in the order of the request; one item for events in a row that
 * have the same outcome, with their number. Mostly all have.
 */
export function encodeTrackEventReply(verdicts: readonly StoredVerdict[]): string {
  const rows: [code: number, receivedAt: string, count: number][] = [];
  let last: StoredVerdict | undefined;
  for (const one of verdicts) {
    const row = rows.at(-1);
    if (row !== undefined && last?.verdict === one.verdict && last.receivedAt === one.receivedAt) row[2] += 1;
    else rows.push([VERDICTS.indexOf(one.verdict), one.receivedAt, 1]);
    last = one;
  }
  return JSON.stringify({ ok: rows });
}

/**
 * Reads the content of `ok`; never throws.
 * @param expected number of events in the request: a reply with another number belongs to another request
 */
export function parseTrackEventReply(
  ok: unknown,
  expected: number,
): Result<readonly StoredVerdict[], string> {
  const verdicts: StoredVerdict[] = [];
  for (const row of Array.isArray(ok) ? (ok as readonly unknown[]) : []) {
    const [verdict, count] = readRow(row);
    if (verdict === undefined || count > expected - verdicts.length)
      return fail('a row of the reply is not a verdict, a time and how many of the events have it');
    for (let one = 0; one < count; one += 1) verdicts.push(verdict);
  }
  if (verdicts.length !== expected) return fail(`a reply to ${expected} events is of as many`);
  return succeed(verdicts);
}

function readRow(row: unknown): readonly [StoredVerdict | undefined, number] {
  if (!Array.isArray(row)) return NO_ROW;
  const [code, receivedAt, count] = row as readonly unknown[];
  const verdict = typeof code === 'number' ? VERDICTS[code] : undefined;
  if (verdict === undefined || typeof receivedAt !== 'string') return NO_ROW;
  return typeof count === 'number' && count > 0 && Number.isSafeInteger(count)
    ? [{ verdict, receivedAt }, count]
    : NO_ROW;
}

const NO_ROW = [undefined, 0] as const;
