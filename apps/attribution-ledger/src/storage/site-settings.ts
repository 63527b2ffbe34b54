import type { AttributionSettings } from '@truetally/contracts/attribution';
import type { AttributionModel } from '@truetally/contracts/facts';
import { arrayLiteral } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';

const READ_SETTINGS = `
  select s.site_id, s.attribution_model, s.lookback_days, s.incarnation, s.version
  from unnest($1::uuid[]) as asked (site_id)
  cross join lateral (select * from site_settings s where s.site_id = asked.site_id limit 1) s`;

interface SettingsRow {
  readonly site_id: string;
  readonly attribution_model: AttributionModel;
  readonly lookback_days: number | null;
  readonly incarnation: string;
  readonly version: number;
}

/** The settings in force, by site. */
export async function readSettings(
  client: ClientBase,
  siteIds: readonly string[],
): Promise<Map<string, AttributionSettings>> {
  const { rows } = await client.query<SettingsRow>({
    name: 'read-settings',
    text: READ_SETTINGS,
    values: [arrayLiteral(siteIds)],
  });
  return new Map(
    rows.map((row) => [
      row.site_id,
      {
        model: row.attribution_model,
        lookbackDays: row.lookback_days,
        incarnation: Number(row.incarnation),
        version: row.version,
      },
    ]),
  );
}

/** In the order of sites, which prevents deadlocks; an older revision changes nothing. */
const KEEP_SETTINGS = `
  insert into site_settings as known (site_id, attribution_model, lookback_days, incarnation, version)
  select * from unnest($1::uuid[], $2::text[], $3::integer[], $4::bigint[], $5::integer[])
    as told (site_id, attribution_model, lookback_days, incarnation, version)
  order by told.site_id
  on conflict (site_id) do update set
    attribution_model = excluded.attribution_model, lookback_days = excluded.lookback_days,
    incarnation = excluded.incarnation, version = excluded.version
  where (known.incarnation, known.version) < (excluded.incarnation, excluded.version)`;

/** Stores settings with a newer revision. @param settings by site */
export async function keepSettings(
  client: Pick<ClientBase | Pool, 'query'>,
  settings: ReadonlyMap<string, AttributionSettings>,
): Promise<void> {
  if (settings.size === 0) return;
  const all = [...settings.values()];
  await client.query({
    name: 'keep-settings',
    text: KEEP_SETTINGS,
    values: [
      [...settings.keys()],
      all.map(({ model }) => model),
      all.map(({ lookbackDays }) => lookbackDays),
      all.map(({ incarnation }) => incarnation),
      all.map(({ version }) => version),
    ],
  });
}

/** Nothing is recorded for these sites any more. */
export async function forgetSettings(
  client: Pick<ClientBase | Pool, 'query'>,
  siteIds: readonly string[],
): Promise<void> {
  if (siteIds.length === 0) return;
  await client.query('delete from site_settings where site_id = any($1::uuid[])', [siteIds]);
}
