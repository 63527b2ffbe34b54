import type { ClientBase } from 'pg';
import { HOUR_FIELDS, SUM_FIELDS } from '../domain/account.js';
import type { SumChanges } from '../domain/sum-changes.js';
import { columnsOf, numericParameters } from './account-columns.js';

const added = (table: string, fields: readonly string[]): string =>
  fields.map((field) => `${field} = ${table}.${field} + excluded.${field}`).join(', ');

const ADD_TO_ARMS = `
  insert into arm_sums (experiment_id, variant, ${SUM_FIELDS.join(', ')})
  select * from unnest($1::uuid[], $2::text[], ${numericParameters(SUM_FIELDS, 3)})
  on conflict (experiment_id, variant) do update set ${added('arm_sums', SUM_FIELDS)}`;
const ADD_TO_HOURS = `
  insert into hour_sums (experiment_id, variant, hour, ${HOUR_FIELDS.join(', ')})
  select * from unnest($1::uuid[], $2::text[], $3::timestamptz[], ${numericParameters(HOUR_FIELDS, 4)})
  on conflict (experiment_id, hour, variant) do update set ${added('hour_sums', HOUR_FIELDS)}`;
const ADD_TO_PARTS = `
  insert into sample_parts (experiment_id, dimension, value, control, treatment)
  select * from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
  on conflict (experiment_id, dimension, value) do update
    set control = sample_parts.control + excluded.control, treatment = sample_parts.treatment + excluded.treatment`;
const ADD_TO_CURRENCIES = `
  insert into other_currency_orders (experiment_id, currency, orders)
  select * from unnest($1::uuid[], $2::text[], $3::bigint[])
  on conflict (experiment_id, currency) do update set orders = other_currency_orders.orders + excluded.orders`;

/** Adds the changes of some sessions to the sums, in the transaction that changes those sessions. */
export async function addToSums(client: ClientBase, changes: SumChanges): Promise<void> {
  const arms = [...changes.arms.values()];
  const hours = [...changes.hours.values()];
  const parts = [...changes.parts.values()];
  const currencies = [...changes.currencies.values()].filter(({ orders }) => orders !== 0n);
  await Promise.all([
    add(client, 'add-to-arms', ADD_TO_ARMS, arms.length, [
      arms.map(({ experimentId }) => experimentId),
      arms.map(({ variant }) => variant),
      ...columnsOf(
        SUM_FIELDS,
        arms.map(({ total }) => total.sums),
      ),
    ]),
    add(client, 'add-to-hours', ADD_TO_HOURS, hours.length, [
      hours.map(({ experimentId }) => experimentId),
      hours.map(({ variant }) => variant),
      hours.map(({ hourMs }) => new Date(hourMs).toISOString()),
      ...columnsOf(
        HOUR_FIELDS,
        hours.map(({ total }) => total.sums),
      ),
    ]),
    add(client, 'add-to-parts', ADD_TO_PARTS, parts.length, [
      parts.map(({ experimentId }) => experimentId),
      parts.map(({ dimension }) => dimension),
      parts.map(({ value }) => value),
      parts.map(({ control }) => control),
      parts.map(({ treatment }) => treatment),
    ]),
    add(client, 'add-to-currencies', ADD_TO_CURRENCIES, currencies.length, [
      currencies.map(({ experimentId }) => experimentId),
      currencies.map(({ currency }) => currency),
      currencies.map(({ orders }) => String(orders)),
    ]),
  ]);
}

async function add(
  client: ClientBase,
  name: string,
  text: string,
  rows: number,
  values: unknown[],
): Promise<void> {
  if (rows > 0) await client.query({ name, text, values });
}
