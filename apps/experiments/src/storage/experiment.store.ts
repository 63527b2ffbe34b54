import type { ExperimentResource } from '@truetally/contracts/experiments';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { tableOf } from '@truetally/persistence';
import { listingOf, type Queryable, readPageOfSites } from '@truetally/resource';
import type { ClientBase, QueryResultRow } from 'pg';

/** An experiment and its currency. */
export interface StoredExperiment {
  readonly resource: ExperimentResource;
  /** ISO 4217: the site's at the start; a draft has the site's current one. */
  readonly currency: string;
}

/** Eligibility, allocation and exclusions are columns of their own. */
interface ExperimentRecord extends Omit<ExperimentResource, 'allocation' | 'eligibility' | 'exclusions'> {
  readonly providers: readonly string[];
  readonly partner_ids: readonly string[];
  readonly control_share: number;
  readonly treatment_share: number;
  readonly sessions_per_network: number | null;
  readonly currency: string;
}

const EXPERIMENTS = tableOf<ExperimentRecord>('experiments', 'id', {
  id: ['experiment_id', 'uuid'],
  version: 'integer',
  created_at: 'instant',
  updated_at: 'instant',
  workspace_id: 'uuid',
  site_id: 'uuid',
  name: 'text',
  hypothesis: 'text',
  surface: 'text',
  campaign_ids: 'uuid[]',
  providers: 'text[]',
  partner_ids: 'text[]',
  traffic: 'double precision',
  control_share: 'double precision',
  treatment_share: 'double precision',
  primary_metric: 'text',
  alpha: 'double precision',
  power: 'double precision',
  minimum_detectable_effect: 'double precision',
  baseline_rate: 'double precision',
  attribution_window_days: 'integer',
  sessions_per_network: 'integer',
  state: 'text',
  salt: 'text',
  started_at: 'instant',
  stopped_at: 'instant',
  currency: 'text',
});
export const SELECT_EXPERIMENTS = `select ${EXPERIMENTS.selection()} from experiments`;

/** Data of a deleted site counts as deleted, even before a job has erased it. */
const SITE_LIVES = `exists (
  select from sites where sites.site_id = experiments.site_id and sites.workspace_id = experiments.workspace_id)`;

/** @returns false when its site has been erased meanwhile: nothing is inserted */
export async function insertExperiment(client: ClientBase, experiment: StoredExperiment): Promise<boolean> {
  return (await client.query(EXPERIMENTS.insert(recordOf(experiment)))).rowCount === 1;
}

export async function storeExperiment(client: ClientBase, experiment: StoredExperiment): Promise<void> {
  await client.query(EXPERIMENTS.update(experiment.resource.id, recordOf(experiment)));
}

export async function removeExperiment(client: ClientBase, experimentId: string): Promise<void> {
  await client.query('delete from exclusion_rounds where experiment_id = $1', [experimentId]);
  await client.query('delete from exclusion_changes where experiment_id = $1', [experimentId]);
  await client.query(EXPERIMENTS.delete(experimentId));
}

/** An experiment of this workspace; undefined for another workspace's, or when its site is deleted. */
export async function findExperiment(
  client: Queryable,
  workspaceId: string,
  experimentId: string | undefined,
): Promise<StoredExperiment | undefined> {
  const { rows } = await client.query(
    `${SELECT_EXPERIMENTS} where experiment_id = $1 and workspace_id = $2 and ${SITE_LIVES}`,
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
  const { rows } = await client.query(
    `${SELECT_EXPERIMENTS}
     where experiment_id = $1 and workspace_id = $2 and ${SITE_LIVES} for update`,
    [experimentId ?? null, workspaceId],
  );
  return rows.map(toExperiment)[0];
}

/** The numbers of experiments of a site and its workspace, with a lock against more until the transaction ends. */
export async function holdExperimentCounts(
  client: ClientBase,
  workspaceId: string,
  siteId: string,
): Promise<{ readonly site: number; readonly workspace: number }> {
  await client.query(
    `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' experiments ' || $1, 0))`,
    [workspaceId],
  );
  const { rows } = await client.query<{ site: number; workspace: number }>(
    `select count(*) filter (where site_id = $2)::int as site, count(*)::int as workspace
     from experiments where workspace_id = $1`,
    [workspaceId, siteId],
  );
  return rows[0] ?? { site: 0, workspace: 0 };
}

/** What gateways hold of the experiments of a workspace, and of all: one row for each workspace. */
export async function heldExperiments(
  client: ClientBase,
  workspaceId: string,
): Promise<{ readonly workspace: number; readonly installation: number }> {
  const { rows } = await client.query<{ workspace: number; installation: number }>(
    `select coalesce(sum(bytes) filter (where workspace_id = $1), 0)::float8 as workspace,
       coalesce(sum(bytes), 0)::float8 as installation
     from held_experiments`,
    [workspaceId],
  );
  return rows[0] ?? { workspace: 0, installation: 0 };
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
  const { rows } = await client.query(
    `${SELECT_EXPERIMENTS} where site_id = $1 and state in ('running', 'paused')
     order by started_at, experiment_id`,
    [siteId],
  );
  return rows.map((row) => toExperiment(row).resource);
}

/** A page of the experiments of these existing sites. */
export function pageOfExperiments(client: Queryable, query: ResourceQuery, siteIds: readonly string[]) {
  const filters = FILTERS.filter((name) => query.filters[name] !== undefined);
  return readPageOfSites(client, query, siteIds, {
    ...listingOf(EXPERIMENTS),
    where: [],
    values: [],
    narrowing: filters.map((column) => ({ column, value: query.filters[column] })),
    toResource: (row) => toExperiment(row).resource,
  });
}

const FILTERS = ['state'] as const;

function recordOf({ resource, currency }: StoredExperiment): ExperimentRecord {
  const { eligibility, allocation, exclusions, ...experiment } = resource;
  return {
    ...experiment,
    ...eligibility,
    ...exclusions,
    control_share: allocation.control,
    treatment_share: allocation.treatment,
    currency,
  };
}

export function toExperiment(row: QueryResultRow): StoredExperiment {
  const {
    currency,
    providers,
    partner_ids,
    control_share: control,
    treatment_share: treatment,
    sessions_per_network,
    ...experiment
  } = EXPERIMENTS.read(row);
  return {
    resource: {
      ...experiment,
      eligibility: { providers, partner_ids },
      allocation: { control, treatment },
      exclusions: { sessions_per_network },
    },
    currency,
  };
}
