import type { AssignSession, DeviceClass, Variant } from '@truetally/contracts/experiments';
import { assignArm } from './assign-arm.js';
import { eligibleTouch, type KnownTouch } from './eligibility.js';
import { assignmentIdOf, sessionKeyOf, touchKeyOf } from './names.js';

/** The fields of a running experiment that assignment needs. */
export interface RunningExperiment {
  readonly id: string;
  readonly siteId: string;
  readonly campaignIds: readonly string[];
  readonly eligibility: { readonly providers: readonly string[]; readonly partner_ids: readonly string[] };
  readonly salt: string;
  readonly traffic: number;
  readonly control: number;
}

export interface AssignRequest {
  readonly request: AssignSession;
  /** The same in each copy of the message: it identifies a redelivery. */
  readonly correlationId: string;
}

export interface KeptAssignment {
  readonly assignmentId: string;
  readonly variant: Variant;
  /** ISO 8601 UTC with milliseconds. */
  readonly assignedAt: string;
  /** Of the message that made it; null after a restore of Postgres. */
  readonly correlationId: string | null;
}

export interface NewAssignment extends KeptAssignment {
  readonly experiment: RunningExperiment;
  readonly sessionId: string;
  readonly provider: string;
  readonly device: DeviceClass;
  /** Of the visitor's network, as the gateway names it. */
  readonly network: string | null;
  /** The touch that becomes this session's by it; null where it is already. */
  readonly claim: TouchClaim | null;
}

/** From now on the touch makes no other session eligible. */
export interface TouchClaim {
  readonly touchKey: string;
  readonly sessionKey: string;
}

/** The known state at the decision. */
export interface Known {
  /** Of every requested site, in the order of their start. */
  readonly running: readonly RunningExperiment[];
  /** By session key and by touch key. */
  readonly touches: ReadonlyMap<string, readonly KnownTouch[]>;
  /** By assignment id: these sessions are assigned, and take no touch from others. */
  readonly kept?: ReadonlyMap<string, KeptAssignment>;
}

/**
 * New assignments of these requests; the store keeps existing ones. Of two requests in one group the first
 * assigns.
 */
export function decideAssignments(
  requests: readonly AssignRequest[],
  { running, touches, kept }: Known,
  nowIso: string,
): readonly NewAssignment[] {
  const added = new Map<string, NewAssignment>();
  const claimed = new Map<string, string>();
  for (const { request, correlationId } of requests) {
    const { site_id: siteId, session_id: sessionId, device, network = null } = request;
    const sessionKey = sessionKeyOf(siteId, sessionId);
    const known = touchesOf(request, touches);
    const isMine = ({ key, owner }: KnownTouch): boolean =>
      (owner ?? claimed.get(key) ?? sessionKey) === sessionKey;
    for (const experiment of experimentsFor(request, running)) {
      const assignmentId = assignmentIdOf(experiment.id, sessionId);
      if (experiment.siteId !== siteId || added.has(assignmentId) || kept?.has(assignmentId)) continue;
      const touch = eligibleTouch(experiment.eligibility, known.filter(isMine));
      const variant = touch === undefined ? null : assignArm(experiment, sessionId);
      if (touch === undefined || variant === null) continue;
      const { provider, key: touchKey, owner } = touch;
      const claim = owner === null ? { touchKey, sessionKey } : null;
      if (claim !== null) claimed.set(touchKey, sessionKey);
      const assignment = { assignmentId, variant, assignedAt: nowIso, correlationId };
      added.set(assignmentId, { ...assignment, experiment, sessionId, provider, device, network, claim });
    }
  }
  return [...added.values()];
}

/** The running experiments of a request. */
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

/** Touches with the session's id, and those that the request names. */
function touchesOf(
  { site_id, session_id, touch_ids }: AssignSession,
  touches: Known['touches'],
): readonly KnownTouch[] {
  const keys = [sessionKeyOf(site_id, session_id), ...touch_ids.map((id) => touchKeyOf(site_id, id))];
  return keys.flatMap((key) => touches.get(key) ?? []);
}
