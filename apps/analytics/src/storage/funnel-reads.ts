import type { ClientBase } from 'pg';
import type { StepEvent } from '../domain/funnel.js';
import { formatMicros, type ReportWindow } from '../domain/report-window.js';

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

/** A step with what a breakdown may show of it. */
export interface ReadStep extends Omit<StepEvent, 'value'> {
  readonly device: string | null;
  /** The network of its session's first touch. */
  readonly provider: string | null;
}

/** Which events a funnel reads. */
export interface AskedSteps {
  readonly siteId: string;
  readonly window: ReportWindow;
  readonly types: readonly string[];
  /** Whether each session's provider is looked up. */
  readonly withProvider: boolean;
}

/** Hands over every event of these types in the window, session by session, each session in its order. */
export async function eachStep(
  client: ClientBase,
  { siteId, window, types, withProvider }: AskedSteps,
  take: (step: ReadStep) => void,
): Promise<void> {
  await client.query(STEPS, [
    siteId,
    formatMicros(window.from),
    formatMicros(window.to),
    types,
    withProvider,
  ]);
  for (;;) {
    const { rows } = await client.query<StepRow>(`fetch ${ROWS_PER_FETCH} from steps`);
    for (const row of rows) {
      take({
        sessionKey: row.session_key,
        eventType: row.event_type,
        at: Number(row.at),
        device: row.device,
        provider: row.provider,
      });
    }
    if (rows.length < ROWS_PER_FETCH) return;
  }
}
