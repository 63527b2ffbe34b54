import type { CampaignType } from '@truetally/contracts/facts';
import type { ExperimentMetric, ExperimentResource, ExperimentState } from '@truetally/contracts/experiments';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { type Queryable, readPageOfSites } from '@truetally/resource';
import type { ClientBase } from 'pg';

/** An experiment and its currency. */
export interface StoredExperiment {
  readonly resource: ExperimentResource;
  /** ISO 4217: the site's at the start; a draft has the site's current one. */
  readonly currency: string;
}

export interface ExperimentRow {
  readonly experiment_id: string;
  readonly workspace_id: string;
  readonly site_id: string;
  readonly name: string;
  readonly hypothesis: string | null;
  readonly surface: CampaignType;
  readonly campaign_ids: readonly string[];
  readonly providers: readonly string[];
  readonly partner_ids: readonly string[];
  readonly traffic: number;
  readonly control_share: number;
  readonly treatment_share: number;
  readonly primary_metric: ExperimentMetric;
  readonly alpha: number;
  readonly power: number;
  readonly minimum_detectable_effect: number;
  readonly baseline_rate: number;
  readonly attribution_window_days: number;
  readonly state: ExperimentState;
  readonly salt: string;
  readonly currency: string;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly started_at: Date | null;
  readonly stopped_at: Date | null;
}

const COLUMN_NAMES = [
  'experiment_id',
  'workspace_id',
  'site_id',
  'name',
  'hypothesis',
  'surface',
  'campaign_ids',
  'providers',
  'partner_ids',
  'traffic',
  'control_share',
  'treatment_share',
  'primary_metric',
  'alpha',
  'power',
  'minimum_detectable_effect',
  'baseline_rate',
  'attribution_window_days',
  'state',
  'salt',
  'currency',
  'version',
  'created_at',
  'updated_at',
  'started_at',
  'stopped_at',
] as const satisfies readonly (keyof ExperimentRow)[];
const COLUMNS = COLUMN_NAMES.join(', ');
const PARAMETERS = COLUMN_NAMES.map((_, index) => `$${index + 1}`).join(', ');
const ASSIGNMENTS = COLUMN_NAMES.slice(1)
  .map((column, index) => `${column} = $${index + 2}`)
  .join(', ');

/** Data of a deleted site counts as deleted, even before a job has erased it. */
const SITE_LIVES = `exists (
  select from sites where sites.site_id = experiments.site_id and sites.workspace_id = experiments.workspace_id)`;

export async function insertExperiment(client: ClientBase, experiment: StoredExperiment): Promise<void> {
  await client.query(`insert into experiments (${COLUMNS}) values (${PARAMETERS})`, valuesOf(experiment));
}

export async function storeExperiment(client: ClientBase, experiment: StoredExperiment): Promise<void> {
  await client.query(`update experiments set ${ASSIGNMENTS} where experiment_id = $1`, valuesOf(experiment));
}

export async function removeExperiment(client: ClientBase, experimentId: string): Promise<void> {
  await client.query('delete from experiments where experiment_id = $1', [experimentId]);
}

/** An experiment of this workspace; undefined for another workspace's, or when its site is deleted. */
export async function findExperiment(
  client: Queryable,
  workspaceId: string,
  experimentId: string | undefined,
): Promise<StoredExperiment | undefined> {
  const { rows } = await client.query<ExperimentRow>(
    `select ${COLUMNS} from experiments where experiment_id = $1 and workspace_id = $2 and ${SITE_LIVES}`,
    [experimentId ?? null, workspaceId],
  );
  return rows.map(toExperiment)[0];
}

/** The same for a change: a concurrent change of the experiment waits until this transaction ends. */
export async function lockExperiment(
  client: ClientBase,
  workspaceId: string,
  experimentId: string | undefined,
): Promise<StoredExperiment | undefined> {
  const { rows } = await client.query<ExperimentRow>(
    `select ${COLUMNS} from experiments
     where experiment_id = $1 and workspace_id = $2 and ${SITE_LIVES} for update`,
    [experimentId ?? null, workspaceId],
  );
  return rows.map(toExperiment)[0];
}

/** The number of experiments of a site, with a lock against further ones until this transaction ends. */
export async function holdExperimentCount(client: ClientBase, siteId: string): Promise<number> {
  await client.query(
    `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' experiments ' || $1, 0))`,
    [siteId],
  );
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from experiments where site_id = $1',
    [siteId],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Running and paused experiments of a site, with a lock against further starts until this transaction ends.
 */
export async function holdLiveExperiments(
  client: ClientBase,
  siteId: string,
): Promise<readonly ExperimentResource[]> {
  await client.query(
    `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' live experiments ' || $1, 0))`,
    [siteId],
  );
  const { rows } = await client.query<ExperimentRow>(
    `select ${COLUMNS} from experiments where site_id = $1 and state in ('running', 'paused')
     order by started_at, experiment_id`,
    [siteId],
  );
  return rows.map((row) => toExperiment(row).resource);
}

/** A page of the experiments of these existing sites. */
export function pageOfExperiments(client: Queryable, query: ResourceQuery, siteIds: readonly string[]) {
  const filters = FILTERS.filter((name) => query.filters[name] !== undefined);
  return readPageOfSites<ExperimentRow, ExperimentResource>(client, query, siteIds, {
    columns: COLUMNS,
    from: 'experiments',
    idColumn: 'experiment_id',
    createdColumn: 'created_at',
    where: [],
    values: [],
    narrowing: filters.map((column) => ({ column, value: query.filters[column] })),
    toResource: (row) => toExperiment(row).resource,
  });
}

const FILTERS = ['state'] as const;

/** In the order of the columns. */
function valuesOf({ resource, currency }: StoredExperiment): unknown[] {
  return [
    resource.id,
    resource.workspace_id,
    resource.site_id,
    resource.name,
    resource.hypothesis,
    resource.surface,
    resource.campaign_ids,
    resource.eligibility.providers,
    resource.eligibility.partner_ids,
    resource.traffic,
    resource.allocation.control,
    resource.allocation.treatment,
    resource.primary_metric,
    resource.alpha,
    resource.power,
    resource.minimum_detectable_effect,
    resource.baseline_rate,
    resource.attribution_window_days,
    resource.state,
    resource.salt,
    currency,
    resource.version,
    resource.created_at,
    resource.updated_at,
    resource.started_at,
    resource.stopped_at,
  ];
}

function toExperiment(row: ExperimentRow): StoredExperiment {
  const resource: ExperimentResource = {
    id: row.experiment_id,
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    workspace_id: row.workspace_id,
    site_id: row.site_id,
    name: row.name,
    hypothesis: row.hypothesis,
    surface: row.surface,
    campaign_ids: row.campaign_ids,
    eligibility: { providers: row.providers, partner_ids: row.partner_ids },
    traffic: row.traffic,
    allocation: { control: row.control_share, treatment: row.treatment_share },
    primary_metric: row.primary_metric,
    alpha: row.alpha,
    power: row.power,
    minimum_detectable_effect: row.minimum_detectable_effect,
    baseline_rate: row.baseline_rate,
    attribution_window_days: row.attribution_window_days,
    state: row.state,
    salt: row.salt,
    started_at: row.started_at?.toISOString() ?? null,
    stopped_at: row.stopped_at?.toISOString() ?? null,
  };
  return { resource, currency: row.currency };
}
