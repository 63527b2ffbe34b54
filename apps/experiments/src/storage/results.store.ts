import type { Variant } from '@truetally/contracts/experiments';
import type { Queryable } from '@truetally/resource';
import { EMPTY_SUMS, HOUR_FIELDS } from '../domain/account.js';
import type { ArmSums, ResultsBasis } from '../domain/build-results.js';
import type { HourSums, SeriesInterval } from '../domain/build-series.js';
import type { Dimension } from '../domain/sum-changes.js';
import { type HourTexts, hourSumsOf, SUM_TEXTS, type SumTexts, sumsOf } from './account-columns.js';

/** Days of a breakdown. */
const MAX_DAYS = 400;
/** Providers and devices of a breakdown: sites allow few. */
const MAX_PARTS = 100;

/** Days of half a century; an experiment with so many hours has no series by the hour. */
const MAX_INTERVALS = 40_000;

type ArmRow = SumTexts & { readonly variant: Variant };

/** The arms' sums: two rows, whatever the number of sessions. */
export async function readArms(client: Queryable, experimentId: string): Promise<ArmSums> {
  const { rows } = await client.query<ArmRow>({
    name: 'read-arms',
    text: `select variant, ${SUM_TEXTS} from arm_sums where experiment_id = $1`,
    values: [experimentId],
  });
  const of = (variant: Variant) => {
    const row = rows.find((one) => one.variant === variant);
    return row === undefined ? EMPTY_SUMS : sumsOf(row);
  };
  return { control: of('control'), treatment: of('treatment') };
}

interface PartRow {
  readonly dimension: Dimension;
  readonly value: string;
  readonly control: string;
  readonly treatment: string;
}

/** The sample by day (the latest), provider and device. */
export async function readParts(client: Queryable, experimentId: string): Promise<ResultsBasis['parts']> {
  const { rows } = await client.query<PartRow>({
    name: 'read-parts',
    text: `(select dimension, value, control::text, treatment::text from sample_parts
        where experiment_id = $1 and dimension = 'day' and control + treatment > 0 order by value desc limit ${MAX_DAYS})
      union all
      (select dimension, value, control::text, treatment::text from sample_parts
        where experiment_id = $1 and dimension = 'excluded' order by value limit ${MAX_PARTS})
      union all
      (select dimension, value, control::text, treatment::text from sample_parts
        where experiment_id = $1 and dimension = 'device' and control + treatment > 0 order by value limit ${MAX_PARTS})
      union all
      (select dimension, value, control::text, treatment::text from sample_parts
        where experiment_id = $1 and dimension = 'provider' and control + treatment > 0 order by value limit ${MAX_PARTS})`,
    values: [experimentId],
  });
  return rows
    .map(({ dimension, value, control, treatment }) => ({
      dimension,
      value,
      observed: { control: Number(control), treatment: Number(treatment) },
    }))
    .sort((one, other) => (one.value < other.value ? -1 : 1));
}

export async function readOtherCurrencies(
  client: Queryable,
  experimentId: string,
): Promise<ResultsBasis['otherCurrencies']> {
  const { rows } = await client.query<{ currency: string; orders: string }>({
    name: 'read-other-currencies',
    text: `select currency, orders::text from other_currency_orders
      where experiment_id = $1 and orders > 0 order by currency`,
    values: [experimentId],
  });
  return rows.map(({ currency, orders }) => ({ currency, orders: Number(orders) }));
}

type HourRow = HourTexts & { readonly variant: Variant; readonly hour: Date };

const NO_GROWTH = HOUR_FIELDS.map((field) => `${field} = 0`).join(' and ');
const GROWTH = HOUR_FIELDS.map((field) => `sum(${field})::text as ${field}`).join(', ');

/**
 * The changes of the arms' sums in each interval (UTC), by its last hour with one, ascending: as many as a series is made of, however
 * many hours there are. An hour whose change was reverted has a row of zeros or none, depending on the delivery of facts, so that
 * it is left out.
 */
export async function readHours(
  client: Queryable,
  experimentId: string,
  interval: SeriesInterval,
): Promise<readonly HourSums[]> {
  const { rows } = await client.query<HourRow>({
    name: 'read-hours',
    text: `select variant, max(hour) as hour, ${GROWTH} from hour_sums
      where experiment_id = $1 and not (${NO_GROWTH})
      group by variant, date_trunc($2, hour, 'UTC') order by max(hour), variant limit ${MAX_INTERVALS}`,
    values: [experimentId, interval],
  });
  return rows.map((row) => ({ variant: row.variant, hourMs: row.hour.getTime(), sums: hourSumsOf(row) }));
}
