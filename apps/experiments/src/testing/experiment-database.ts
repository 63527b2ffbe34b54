import { randomUUID } from 'node:crypto';
import type { AssignedSessionFact } from '@truetally/contracts/facts';
import { openServiceDatabase, type ServiceDatabase } from '@truetally/testing-product';
import type { NamedRecord } from '../fold-facts/read-facts.js';
import { MIGRATIONS } from '../storage/migrations/migrations.js';

/** A separate migrated schema, on the test run's Postgres. */
export function openExperimentDatabase(): Promise<ServiceDatabase> {
  return openServiceDatabase({ name: 'experiments', migrations: MIGRATIONS, ownerUrl: undefined });
}

export interface RunningRow {
  readonly experimentId: string;
  readonly siteId: string;
}

/** A row of a running experiment, of a new site. */
export async function insertRunning(
  { owner }: ServiceDatabase,
  changes: { readonly siteId?: string; readonly salt?: string } = {},
): Promise<RunningRow> {
  const experimentId = randomUUID();
  const { siteId = randomUUID(), salt = randomUUID().replaceAll('-', '') } = changes;
  const workspaceId = randomUUID();
  await owner.query(
    `insert into sites (site_id, workspace_id, currency, version) values ($1, $2, 'EUR', 1) on conflict do nothing`,
    [siteId, workspaceId],
  );
  await owner.query(
    `insert into experiments (experiment_id, workspace_id, site_id, name, surface, campaign_ids, providers,
       partner_ids, traffic, control_share, treatment_share, primary_metric, alpha, power, minimum_detectable_effect,
       baseline_rate, attribution_window_days, state, salt, currency, version, created_at, updated_at, started_at)
     values ($1, $2, $3, 'Test', 'overlay', array[gen_random_uuid()], '{}', '{}', 1, 0.5, 0.5, 'conversion', 0.05, 0.8,
       0.1, 0.1, 7, 'running', $4, 'EUR', 1, now(), now(), now())`,
    [experimentId, workspaceId, siteId, salt],
  );
  return { experimentId, siteId };
}

/** The fact of an assignment. */
export function assignedFact(
  { experimentId, siteId }: RunningRow,
  changes: Partial<AssignedSessionFact> = {},
): AssignedSessionFact {
  return {
    assignment_id: randomUUID(),
    experiment_id: experimentId,
    site_id: siteId,
    session_id: randomUUID(),
    variant: 'treatment',
    campaign_ids: [],
    provider: 'awin',
    device: 'desktop',
    assigned_at: '2026-01-31T09:30:00.000Z',
    ...changes,
  };
}

/** A purchase of ten euros with the session, an hour after {@link assignedFact}. */
export function soldRecord(
  { assignment_id, site_id }: AssignedSessionFact,
  changes: Partial<NamedRecord> = {},
): NamedRecord {
  return {
    assignmentId: assignment_id,
    recordId: randomUUID(),
    siteId: site_id,
    conversionId: randomUUID(),
    orderSequence: 1,
    eventType: 'purchase',
    currency: 'EUR',
    purchaseOccurredAt: '2026-01-31T10:30:00.000Z',
    recordedAt: '2026-01-31T10:30:00.000Z',
    revenueDelta: 1_000n,
    marginDelta: null,
    commissionDelta: 0n,
    hasExactMargin: false,
    rule: 'untouched',
    ...changes,
  };
}

/** The rows of these assignments, as if the service had made them. */
export async function insertAssignments(
  { owner }: ServiceDatabase,
  assigned: readonly AssignedSessionFact[],
): Promise<void> {
  await owner.query(
    `insert into assignments (assignment_id, experiment_id, site_id, session_id, variant, provider, device,
       assigned_at)
     select f.assignment_id, f.experiment_id, f.site_id, f.session_id, f.variant, f.provider, f.device, f.assigned_at
     from json_to_recordset($1) as f (assignment_id uuid, experiment_id uuid, site_id uuid, session_id text,
       variant text, provider text, device text, assigned_at timestamptz)`,
    [JSON.stringify(assigned)],
  );
}
