import { MAX_FUNNEL_VALUES } from '../domain/funnel.js';
import type { FunnelCounts, FunnelQuestion } from '../storage/traffic-reads.js';
import type { ClickHouse } from './clickhouse-client.js';
import { AS_MERGED } from './clickhouse-schema.js';

/**
 * Counts the sessions that took the steps, as `FunnelFold` does. Of a session's events in order, each step has the list
 * of the chains that have reached it: at each event the place at which the one that began last began, or 0. They begin
 * ever later, so that filling a list with its last value is its maximum so far.
 */
export async function readFunnel(clickHouse: ClickHouse, question: FunnelQuestion): Promise<FunnelCounts> {
  const { siteId, window, steps, windowMicros, breakdown } = question;
  const types = [...new Set(steps)];
  const rows = await clickHouse.rows<{ value: string | null; counts: number[] }>(funnelSql(question), {
    site: siteId,
    from: window.from,
    to: window.to,
    types,
    longest: windowMicros,
    ...(breakdown === 'day' ? { days: question.days } : {}),
  });
  return new Map(rows.map(({ value, counts }) => [value, counts]));
}

function funnelSql({ steps, breakdown }: FunnelQuestion): string {
  const types = [...new Set(steps)];
  const lists = steps.map((step, index) => listOf(index + 1, types.indexOf(step) + 1));
  const reached = steps.map((_, index) => `(c${index + 1}[-1] > 0)`).join(' + ');
  const byStep = steps.map((_, index) => `countIf(reached >= ${index + 1})`).join(', ');
  const value = { device: 'seen[start].4', provider: 'provider', day: DAY, none: 'null' }[
    breakdown ?? 'none'
  ];
  // Only a breakdown asks where a session's longest chain began first.
  const start =
    breakdown === null
      ? '0'
      : `arrayFirst(c -> c > 0, [${steps.map((_, index) => `c${index + 1}`).join(', ')}][greatest(reached, 1)])`;
  const device = breakdown === 'device' ? ', toNullable(toString(device))' : '';
  return `
  with sessions as (
    select session_key, arraySort(groupArray(
      (occurred_micros, bitNot(precedence), toUInt8(indexOf({types:Array(String)}, event_type))${device}))) as seen
    from events final
    where site_id = {site:UUID} and occurred_micros >= {from:Int64} and occurred_micros < {to:Int64}
      and not is_bot and event_type in {types:Array(String)}
    group by session_key
  ), ends as (
    select seen.1 as times, seen.3 as codes, ${lists.join(', ')},
      ${reached} as reached, ${start} as start, ${value} as value
    from sessions ${breakdown === 'provider' ? PROVIDERS : ''}
  ), parts as (
    select value, [${byStep}] as counts, row_number() over (order by counts[1] desc, value) as place
    from ends where reached > 0 group by value
  )
  select if(place <= ${MAX_FUNNEL_VALUES}, value, null) as value, sumForEach(counts) as counts
  from parts group by value ${AS_MERGED}, join_use_nulls = 1`;
}

/** The beginning of the chain's day, in microseconds. */
const DAY = 'toNullable(toString(roundDown(times[start], {days:Array(Int64)})))';

/** The network of each session's first touch. */
const PROVIDERS = `left any join (
      select session_key, argMin(toNullable(toString(provider)), (occurred_micros, touch_key)) as provider from touches final
      where site_id = {site:UUID} group by session_key) as first using session_key`;

/** Chains that have reached a step: only from an event before, and not longer than the window. */
function listOf(step: number, code: number): string {
  const own =
    step === 1
      ? `arrayMap((code, place) -> if(code = ${code}, place, 0), codes, arrayEnumerate(codes))`
      : `arrayMap((code, time, before) -> if(code = ${code} and before > 0
          and time - times[before] <= {longest:Int64}, before, 0),
          codes, times, arrayPushFront(arrayPopBack(c${step - 1}), 0))`;
  return `arrayFill(c -> c > 0, ${own}) as c${step}`;
}
