import type { Assigned, AssignmentResource, Variant } from '@truetally/contracts/experiments';
import type { AssignedSessionFact } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import {
  appendToOutbox,
  type Closing,
  ErasedSites,
  inHotTransaction,
  type OutgoingFact,
} from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import {
  type AssignRequest,
  decideAssignments,
  experimentsFor,
  type KeptAssignment,
  type NewAssignment,
  type RunningExperiment,
} from '../domain/decide-assignments.js';
import { assignmentIdOf, sessionKeyOf, touchKeyOf } from '../domain/names.js';
import { claimTouches, readTouches } from './touch.store.js';

/**
 * Each name of a group must be a single index access. A first plan is made when the tables are empty, where
 * full scans look cheap.
 */
const OPENING = `
  set local lock_timeout = 4000;
  set local enable_seqscan = off;
  set local enable_hashjoin = off;
  set local enable_mergejoin = off;
  set local plan_cache_mode = force_generic_plan;
  select to_char(date_trunc('milliseconds', clock_timestamp()), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now,
    erasures_seen() as erasures`;

interface Opened {
  readonly now: string;
  /** Input of `ErasedSites`. */
  readonly erasures: string;
}

/** The outcome of a group of requests. */
export interface AssignedGroup {
  /** In the order of the requests. */
  readonly answers: readonly Assigned[];
  readonly added: number;
}

/** Assignments: exactly one per session and experiment; the first one is final. */
export class AssignmentStore {
  private readonly erasedSites = new ErasedSites();

  constructor(private readonly pool: Pool) {}

  /**
   * Stores the new assignments of these requests and their facts in one transaction, and answers all
   * requests.
   * @throws Postgres' error; the same requests may be retried
   */
  assign(requests: readonly AssignRequest[]): Promise<AssignedGroup> {
    return inHotTransaction<Opened, AssignedGroup>(this.pool, OPENING, async (client, [opened]) => {
      const { now = '', erasures = '0' } = opened ?? {};
      return assignIn(client, requests, now, await this.erasedSites.at(client, erasures));
    });
  }
}

async function assignIn(
  client: ClientBase,
  requests: readonly AssignRequest[],
  now: string,
  erased: ReadonlySet<string>,
): Promise<Closing<AssignedGroup>> {
  const siteIds = [...new Set(requests.map(({ request }) => request.site_id))].filter(
    (id) => !erased.has(id),
  );
  const [running, touches] = await Promise.all([
    readRunning(client, siteIds),
    readTouches(client, ...touchKeysOf(requests)),
  ]);
  const ids = requests.flatMap(({ request }) =>
    experimentsFor(request, running).map(({ id }) => assignmentIdOf(id, request.session_id)),
  );
  const known = { running, touches };
  const all = decideAssignments(requests, known, now);
  // What is stored already matters for touches alone: most groups are spared the look.
  const isClaiming = all.some(({ claim }) => claim !== null);
  const decided = isClaiming
    ? decideAssignments(requests, { ...known, kept: await readKept(client, ids) }, now)
    : all;
  const won = await claimTouches(
    client,
    decided.flatMap(({ claim }) => claim ?? []),
  );
  // A touch that became another session's meanwhile makes this one eligible no more.
  const wanted = decided.filter(({ claim }) => claim === null || won.has(claim.touchKey));
  // Sent together, they run in this order: the read also sees assignments that another transaction made
  // first.
  const [added, kept] = await Promise.all([insertAssignments(client, wanted), readKept(client, ids)]);
  const mine = wanted.filter(({ assignmentId }) => added.has(assignmentId));
  await appendToOutbox(client, mine.map(newFact));
  return {
    value: { answers: requests.map((request) => answerTo(request, running, kept)), added: mine.length },
    closing: '',
  };
}

/** For the request that made an assignment it is new, also after a redelivery. */
function answerTo(
  { request, correlationId }: AssignRequest,
  running: readonly RunningExperiment[],
  kept: ReadonlyMap<string, KeptAssignment>,
): Assigned {
  let isNew = false;
  const assignments: AssignmentResource[] = [];
  for (const experiment of experimentsFor(request, running)) {
    const assignment = kept.get(assignmentIdOf(experiment.id, request.session_id));
    if (assignment === undefined) continue;
    isNew ||= assignment.correlationId === correlationId;
    assignments.push({
      assignment_id: assignment.assignmentId,
      experiment_id: experiment.id,
      variant: assignment.variant,
      campaign_ids: experiment.campaignIds,
      assigned_at: assignment.assignedAt,
    });
  }
  return { assignments, is_new: isNew };
}

function touchKeysOf(requests: readonly AssignRequest[]): [readonly string[], readonly string[]] {
  const sessions = requests.map(({ request }) => sessionKeyOf(request.site_id, request.session_id));
  const touches = requests.flatMap(({ request }) =>
    request.touch_ids.map((touchId) => touchKeyOf(request.site_id, touchId)),
  );
  return [[...new Set(sessions)], [...new Set(touches)]];
}

interface RunningRow {
  readonly experiment_id: string;
  readonly site_id: string;
  readonly campaign_ids: readonly string[];
  readonly providers: readonly string[];
  readonly partner_ids: readonly string[];
  readonly salt: string;
  readonly traffic: number;
  readonly control_share: number;
}

async function readRunning(
  client: ClientBase,
  siteIds: readonly string[],
): Promise<readonly RunningExperiment[]> {
  const { rows } = await client.query<RunningRow>({
    name: 'read-running',
    text: `select e.experiment_id, e.site_id, e.campaign_ids, e.providers, e.partner_ids, e.salt, e.traffic,
        e.control_share
      from unnest($1::uuid[]) as asked (site_id)
      cross join lateral (
        select * from experiments e where e.site_id = asked.site_id and e.state in ('running', 'paused') limit 100
      ) e
      where e.state = 'running' order by e.started_at, e.experiment_id`,
    values: [siteIds],
  });
  return rows.map((row) => ({
    id: row.experiment_id,
    siteId: row.site_id,
    campaignIds: row.campaign_ids,
    eligibility: { providers: row.providers, partner_ids: row.partner_ids },
    salt: row.salt,
    traffic: row.traffic,
    control: row.control_share,
  }));
}

interface KeptRow {
  readonly assignment_id: string;
  readonly variant: Variant;
  readonly assigned_at: Date;
  readonly correlation_id: string | null;
}

async function readKept(
  client: ClientBase,
  assignmentIds: readonly string[],
): Promise<ReadonlyMap<string, KeptAssignment>> {
  if (assignmentIds.length === 0) return new Map();
  const { rows } = await client.query<KeptRow>({
    name: 'read-kept-assignments',
    text: `select a.assignment_id, a.variant, a.assigned_at, a.correlation_id
      from unnest($1::uuid[]) as asked (id)
      cross join lateral (select * from assignments a where a.assignment_id = asked.id limit 1) a`,
    values: [[...new Set(assignmentIds)]],
  });
  return new Map(
    rows.map((row) => [
      row.assignment_id,
      {
        assignmentId: row.assignment_id,
        variant: row.variant,
        assignedAt: row.assigned_at.toISOString(),
        correlationId: row.correlation_id,
      },
    ]),
  );
}

/** Inserted in the order of ids, which prevents deadlocks. @returns the new ones */
async function insertAssignments(
  client: ClientBase,
  wanted: readonly NewAssignment[],
): Promise<ReadonlySet<string>> {
  if (wanted.length === 0) return new Set();
  const rows = wanted.toSorted((one, other) => (one.assignmentId < other.assignmentId ? -1 : 1));
  const inserted = await client.query<{ assignment_id: string }>({
    name: 'insert-assignments',
    text: `insert into assignments (assignment_id, experiment_id, site_id, session_id, variant, provider, device,
        assigned_at, correlation_id, network)
      select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[],
        $8::timestamptz[], $9::text[], $10::bytea[])
      on conflict (assignment_id) do nothing returning assignment_id`,
    values: [
      rows.map((row) => row.assignmentId),
      rows.map((row) => row.experiment.id),
      rows.map((row) => row.experiment.siteId),
      rows.map((row) => row.sessionId),
      rows.map((row) => row.variant),
      rows.map((row) => row.provider),
      rows.map((row) => row.device),
      rows.map((row) => row.assignedAt),
      rows.map((row) => row.correlationId),
      rows.map(({ network }) => (network === null ? null : Buffer.from(network, 'hex'))),
    ],
  });
  return new Set(inserted.rows.map((row) => row.assignment_id));
}

function newFact({ experiment, sessionId, ...assignment }: NewAssignment): OutgoingFact {
  return assignedFact({
    assignment_id: assignment.assignmentId,
    experiment_id: experiment.id,
    site_id: experiment.siteId,
    session_id: sessionId,
    variant: assignment.variant,
    campaign_ids: experiment.campaignIds,
    provider: assignment.provider,
    device: assignment.device,
    assigned_at: assignment.assignedAt,
  });
}

/** How an assignment is published. */
export function assignedFact(fact: AssignedSessionFact): OutgoingFact {
  return {
    topic: TOPICS.sessionsAssigned.name,
    key: `${fact.site_id}:${fact.session_id}`,
    value: JSON.stringify(fact),
    headers: { 'content-type': 'application/json', 'fact-id': fact.assignment_id },
  };
}
