import type { AssignSession, DeviceClass, Variant } from '@truetally/contracts/experiments';
import { assignArm } from './assign-arm.js';
import { eligibleTouch, type KnownTouch } from './eligibility.js';
import { assignmentIdOf, sessionKeyOf, touchKeyOf } from './names.js';

/** A running experiment as assignment needs it. */
export interface RunningExperiment {
  readonly id: string;
  readonly siteId: string;
  readonly campaignIds: readonly string[];
  readonly eligibility: { readonly providers: readonly string[]; readonly partner_ids: readonly string[] };
  readonly salt: string;
  readonly traffic: number;
  readonly control: number;
}

/** A request, and the message of the log that brought it: known again when it is delivered again. */
export interface AssignRequest {
  readonly request: AssignSession;
  readonly place: RequestPlace;
}

export interface RequestPlace {
  readonly partition: number;
  readonly offset: string;
}

export interface KeptAssignment {
  readonly assignmentId: string;
  readonly variant: Variant;
  /** ISO 8601 UTC with milliseconds. */
  readonly assignedAt: string;
  readonly place: RequestPlace;
}

export interface NewAssignment extends KeptAssignment {
  readonly experiment: RunningExperiment;
  readonly sessionId: string;
  readonly provider: string;
  readonly device: DeviceClass;
}

/** What is known when it is decided. */
export interface Known {
  /** Of every site that is asked for, in the order of their start. */
  readonly running: readonly RunningExperiment[];
  /** By session key and by touch key. */
  readonly touches: ReadonlyMap<string, readonly KnownTouch[]>;
}

/**
 * Whom these requests assign, unless it is assigned already: the store keeps what it has. Of two requests that are decided
 * together the first assigns.
 */
export function decideAssignments(
  requests: readonly AssignRequest[],
  { running, touches }: Known,
  nowIso: string,
): readonly NewAssignment[] {
  const added = new Map<string, NewAssignment>();
  for (const { request, place } of requests) {
    const { site_id: siteId, session_id: sessionId, device } = request;
    const known = touchesOf(request, touches);
    for (const experiment of experimentsFor(request, running)) {
      const assignmentId = assignmentIdOf(experiment.id, sessionId);
      if (experiment.siteId !== siteId || added.has(assignmentId)) continue;
      const touch = eligibleTouch(experiment.eligibility, known);
      const variant = touch === undefined ? null : assignArm(experiment, sessionId);
      if (touch === undefined || variant === null) continue;
      const { provider } = touch;
      const assignment = { assignmentId, variant, assignedAt: nowIso, place };
      added.set(assignmentId, { ...assignment, experiment, sessionId, provider, device });
    }
  }
  return [...added.values()];
}

/** The running experiments that a request asks about. */
export function experimentsFor(
  { site_id, campaign_id, experiment_ids }: AssignSession,
  running: readonly RunningExperiment[],
): readonly RunningExperiment[] {
  return running.filter(
    ({ id, siteId, campaignIds }) =>
      siteId === site_id &&
      (campaign_id === null || campaignIds.includes(campaign_id)) &&
      (experiment_ids === null || experiment_ids.includes(id)),
  );
}

/** Those that name the session, and those that the request names. */
function touchesOf(
  { site_id, session_id, touch_ids }: AssignSession,
  touches: Known['touches'],
): readonly KnownTouch[] {
  const keys = [sessionKeyOf(site_id, session_id), ...touch_ids.map((id) => touchKeyOf(site_id, id))];
  return keys.flatMap((key) => touches.get(key) ?? []);
}
