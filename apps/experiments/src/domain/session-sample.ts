import type { SessionConcentration, UnseenSessions } from '@truetally/contracts/experiments';

/** Below it, a share of a sample says little. */
const SUFFICIENT_SESSIONS = 100;
/** Of the largest network among the sampled sessions. */
const CONCENTRATED_SHARE = 0.2;
const FEW = 'few_sessions';
const NO_NETWORKS = 'no_networks_known';
const NOT_ASKED = 'not_asked';

/** A session of a random sample. */
export interface SampledSession {
  /** As the gateway names it; null where it is not known, or forgotten with its person. */
  readonly network: string | null;
}

/** Whether one network has a large part of the sample. */
export function concentrationOf(sample: readonly SampledSession[]): SessionConcentration {
  const known = sample.flatMap(({ network }) => network ?? []);
  const sampled = known.length;
  if (sampled === 0) {
    return { state: 'insufficient', sampled, largest_network_share: null, reason: NO_NETWORKS };
  }
  const counts = [...Map.groupBy(known, (network) => network).values()].map(({ length }) => length);
  const largest_network_share = Math.max(...counts) / sampled;
  if (sampled < SUFFICIENT_SESSIONS) {
    return { state: 'insufficient', sampled, largest_network_share, reason: FEW };
  }
  const state = largest_network_share >= CONCENTRATED_SHARE ? 'concentrated' : 'ok';
  return { state, sampled, largest_network_share };
}

/** Before analytics has said which sessions it has seen. */
export function notAsked(sampled: number): UnseenSessions {
  return { state: 'unknown', sampled, count: null, share: null, reason: NOT_ASKED };
}
