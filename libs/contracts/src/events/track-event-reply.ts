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
 * The reply's text: `{"ok":[[0,"2026-01-31T09:30:00.000Z"],…]}`, one item per event in the order of the
 * request.
 */
export function encodeTrackEventReply(verdicts: readonly StoredVerdict[]): string {
  const rows = verdicts.map(({ verdict, receivedAt }) => [VERDICTS.indexOf(verdict), receivedAt]);
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
  if (!Array.isArray(ok) || ok.length !== expected)
    return fail(`a reply to ${expected} events has as many rows`);
  const verdicts: StoredVerdict[] = [];
  for (const row of ok as readonly unknown[]) {
    const verdict = readVerdict(row);
    if (verdict === undefined) return fail(`row ${verdicts.length} of the reply is not a verdict and a time`);
    verdicts.push(verdict);
  }
  return succeed(verdicts);
}

function readVerdict(row: unknown): StoredVerdict | undefined {
  if (!Array.isArray(row)) return undefined;
  const [code, receivedAt] = row as readonly unknown[];
  const verdict = typeof code === 'number' ? VERDICTS[code] : undefined;
  return verdict === undefined || typeof receivedAt !== 'string' ? undefined : { verdict, receivedAt };
}
