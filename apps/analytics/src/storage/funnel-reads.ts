import type { ClientBase } from 'pg';
import { FunnelFold } from '../domain/funnel.js';
import { formatMicros } from '../domain/report-window.js';
import type { FunnelCounts, FunnelQuestion } from './traffic-reads.js';

/** Rows of one fetch: some milliseconds of work between two turns of other requests. */
const ROWS_PER_FETCH = 5_000;

const STEPS = `
  declare steps no scroll cursor for
  select e.session_key, e.event_type, e.device,
    case when $5 then (select t.provider from touches t where t.site_id = e.site_id and t.session_key = e.session_key
      order by t.occurred_at, t.touch_key limit 1) end as provider,
    (extract(epoch from e.occurred_at) * 1000000)::bigint::text as at
  from events e
  where e.site_id = $1 and e.occurred_at >= $2 and e.occurred_at < $3 and not e.is_bot
    and e.event_type = any($4::text[])
  order by e.session_key, e.occurred_at, e.position, e.event_id`;

interface StepRow {
  readonly session_key: string;
  readonly event_type: string;
  readonly device: string | null;
  readonly provider: string | null;
  readonly at: string;
}

/** Reads every event of these types in the window, session by session, each session in its order. */
export async function readFunnel(client: ClientBase, question: FunnelQuestion): Promise<FunnelCounts> {
  const { siteId, window, steps, windowMicros, breakdown } = question;
  const fold = new FunnelFold(steps, windowMicros);
  const valueOf = valuesOf(question);
  await client.query(STEPS, [
    siteId,
    formatMicros(window.from),
    formatMicros(window.to),
    [...new Set(steps)],
    breakdown === 'provider',
  ]);
  for (;;) {
    const { rows } = await client.query<StepRow>(`fetch ${ROWS_PER_FETCH} from steps`);
    for (const row of rows) {
      const at = Number(row.at);
      fold.take({ sessionKey: row.session_key, eventType: row.event_type, at, value: valueOf(row, at) });
    }
    if (rows.length < ROWS_PER_FETCH) return fold.finish();
  }
}

function valuesOf({ breakdown, days }: FunnelQuestion): (row: StepRow, at: number) => string | null {
  switch (breakdown) {
    case 'device':
      return ({ device }) => device;
    case 'provider':
      return ({ provider }) => provider;
    case 'day':
      return (_, at) => String(lastUntil(days, at));
    case null:
      return () => null;
  }
}

/** The last of ascending numbers that is at most this one. */
function lastUntil(numbers: readonly number[], most: number): number | undefined {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= most) low = middle + 1;
    else high = middle;
  }
  return numbers[low - 1];
}
