import type pg from 'pg';

/** An experiment's sessions in tables, as if they had been assigned and folded. */
export interface FilledExperiment {
  readonly id: string;
  readonly siteId: string;
  readonly sessions: number;
}

/**
 * Inserted directly into the tables of experiments, because over HTTP it would take hours: sessions over 30
 * days, a tenth of them with one order, and all their sums, so that `npm run experiments:verify` finds no
 * difference.
 */
export async function fillSessions(
  owner: pg.Client,
  { id, siteId, sessions }: FilledExperiment,
): Promise<void> {
  await owner.query(SESSIONS, [id, siteId, sessions]);
  for (const statement of [ASSIGNMENTS, RECORDS, ORDERS, HOURS, ARM_SUMS, HOUR_SUMS, SAMPLE_PARTS])
    await owner.query(statement, [id]);
}

/** Ids that ascend: random ones would make the filling wait for the disk. */
const SESSIONS = `
  insert into session_results (assignment_id, experiment_id, site_id, variant, provider, device, assigned_at, revenue,
    live_orders, counted_orders)
  select (left($1::uuid::text, 8) || '-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1::uuid, $2::uuid,
    case when n % 2 = 0 then 'control' else 'treatment' end, 'awin', case when n % 3 = 0 then 'mobile' else 'desktop' end,
    date_trunc('hour', now()) - (n % 720) * interval '1 hour',
    case when n % 20 < 2 then 5000 + n % 997 else 0 end, (n % 20 < 2)::integer, (n % 20 < 2)::integer
  from generate_series(1, $3::integer) as n`;

const ASSIGNMENTS = `
  insert into assignments (assignment_id, experiment_id, site_id, session_id, variant, provider, device, assigned_at)
  select assignment_id, experiment_id, site_id, assignment_id::text, variant, provider, device, assigned_at
  from session_results where experiment_id = $1`;

const RECORDS = `
  insert into session_records (assignment_id, record_id, site_id, conversion_id, order_sequence, event_type, currency,
    purchase_occurred_at, recorded_at, revenue_delta, margin_delta, commission_delta, has_exact_margin, rule)
  select assignment_id, assignment_id, site_id, assignment_id, 1, 'purchase', 'EUR', assigned_at, assigned_at, revenue,
    null, 0, false, 'untouched'
  from session_results where experiment_id = $1 and live_orders > 0`;

const ORDERS = `
  insert into session_orders (assignment_id, conversion_id, site_id, last_sequence, last_hour_ms, purchased_us, currency,
    has_exact_margin, rule, revenue, earning_revenue)
  select assignment_id, assignment_id, site_id, 1, extract(epoch from assigned_at) * 1000,
    extract(epoch from assigned_at) * 1000000, 'EUR', false, 'untouched', revenue, revenue
  from session_results where experiment_id = $1 and live_orders > 0`;

const HOURS = `
  insert into session_hours (assignment_id, hour, site_id, revenue, live_orders, counted_orders)
  select assignment_id, assigned_at, site_id, revenue, live_orders, counted_orders
  from session_results where experiment_id = $1 and live_orders > 0`;

const COUNTS = `count(*), sum(live_orders), sum(live_orders), sum(counted_orders), sum(revenue), sum(revenue * revenue)`;
const COUNTED = `sessions, converted_sessions, live_orders, counted_orders, revenue, revenue_squares`;

const ARM_SUMS = `
  insert into arm_sums (experiment_id, variant, ${COUNTED}, revenue_cubes)
  select experiment_id, variant, ${COUNTS}, sum(revenue * revenue * revenue)
  from session_results where experiment_id = $1 group by experiment_id, variant`;

const HOUR_SUMS = `
  insert into hour_sums (experiment_id, variant, hour, ${COUNTED})
  select experiment_id, variant, date_trunc('hour', assigned_at), ${COUNTS}
  from session_results where experiment_id = $1 group by experiment_id, variant, 3`;

const SAMPLE_PARTS = `
  insert into sample_parts (experiment_id, dimension, value, control, treatment)
  select experiment_id, part.dimension, part.value, count(*) filter (where variant = 'control'),
    count(*) filter (where variant = 'treatment')
  from session_results
  cross join lateral (values
    ('day', to_char(assigned_at at time zone 'UTC', 'YYYY-MM-DD')), ('provider', provider), ('device', device)
  ) as part (dimension, value)
  where experiment_id = $1 group by experiment_id, part.dimension, part.value`;
